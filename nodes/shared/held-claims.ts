import type { IExecuteFunctions } from 'n8n-workflow';

import { readHolder } from './claim-holder';
import type { ReleaseRequest } from './ledger-api';
import { callLedger, NO_RETRY } from './transport';

interface OpenClaims {
  /** Claim tokens that this execution was given and that have no receipt yet. */
  held: Set<string>;
  /** Claims that were never used but could not be given back when the node wanted to. */
  unsent: ReleaseRequest[];
  watched: boolean;
}

/**
 * Per execution, keyed by the identity of n8n's flow context, which is one object for a whole execution in a process
 * and is never stored. Inside it per credential: two Claim Actions may speak to two ledgers.
 */
const openClaims = new WeakMap<object, Map<string, OpenClaims>>();

function open(context: IExecuteFunctions): OpenClaims {
  const execution = context.getContext('flow');
  const byCredential = openClaims.get(execution) ?? new Map<string, OpenClaims>();
  openClaims.set(execution, byCredential);
  const reference = context.getNode().credentials?.actionLedgerApi;
  const key = reference?.id ?? reference?.name ?? '';
  const claims = byCredential.get(key) ?? { held: new Set(), unsent: [], watched: false };
  byCredential.set(key, claims);
  return claims;
}

/**
 * Remembers what is held, and has the ledger told when the execution ends, fails or is stopped with claims that got no
 * receipt: they become unknown at once instead of after their lease. n8n does not call this after SIGKILL or when the
 * execution waits; the lease does the rest.
 */
export function holdClaims(context: IExecuteFunctions, claimTokens: string[]): void {
  if (claimTokens.length === 0) return;
  const claims = open(context);
  for (const token of claimTokens) claims.held.add(token);
  watchEnd(context, claims);
}

export function keepForRelease(context: IExecuteFunctions, releases: ReleaseRequest[]): void {
  if (releases.length === 0) return;
  const claims = open(context);
  claims.unsent.push(...releases);
  watchEnd(context, claims);
}

/** A receipt is with the ledger: nothing is left to tell about this claim. */
export function settleClaims(context: IExecuteFunctions, claimTokens: string[]): void {
  const execution = context.getContext('flow');
  for (const claims of openClaims.get(execution)?.values() ?? []) {
    for (const token of claimTokens) claims.held.delete(token);
  }
}

function watchEnd(context: IExecuteFunctions, claims: OpenClaims): void {
  if (claims.watched || typeof context.onExecutionFinish !== 'function') return;
  const holder = readHolder(context);
  if (holder.executionId === undefined) return;
  claims.watched = true;
  context.onExecutionFinish(async () => {
    claims.watched = false;
    if (claims.unsent.length > 0) {
      await callLedger(context, {
        method: 'POST',
        path: '/v1/releases',
        body: { releases: claims.unsent.splice(0) },
        timeoutMs: 5_000,
        retryPausesMs: NO_RETRY,
        evenWhenStopped: true,
      });
    }
    if (claims.held.size === 0) return;
    claims.held.clear();
    const { instanceId, workflowId, executionId, kind } = holder;
    const answer = await callLedger(context, {
      method: 'POST',
      path: '/v1/executions/ended',
      body: { holder: { kind, instanceId, workflowId, executionId }, cause: 'ended_without_receipt' },
      timeoutMs: 5_000,
      retryPausesMs: [500],
      evenWhenStopped: true,
    });
    if (!answer.ok) {
      context.logger.warn(
        `Action Ledger was not told that execution ${executionId} ended with open claims: ${answer.failure.description} Their leases will run out and they become unknown then.`,
      );
    }
  });
}
