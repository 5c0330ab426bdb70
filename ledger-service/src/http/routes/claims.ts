import { Type } from '@sinclair/typebox';
import { type FastifyInstance, type FastifyRequest } from 'fastify';

import { type ClaimAnswer } from '../../domain/answers';
import { Problem } from '../../domain/problem';
import { type Results } from '../../store/call-items';
import { type ClaimCall } from '../../store/ledger';
import { itemReader } from '../items';
import {
  Claim,
  claimBatch,
  ClaimsAnswer,
  Registration,
  registrationBatch,
  RegistrationsAnswer,
} from '../schemas/claims';
import { checker } from '../validation';
import { requestToken } from '../schemas/field-types';
import { type RouteContext } from './route-context';
import { addBatchRoute } from './batch-route';

export function claimRoutes(app: FastifyInstance, { ledger, ledgerId, metrics, ending }: RouteContext): void {
  const claimsOf = itemReader(claimBatch, Claim);
  addBatchRoute(app, ledgerId, {
    url: '/v1/claims',
    batch: claimBatch,
    answer: ClaimsAnswer,
    scopes: ['claim'],
    tag: 'Claims',
    headers: Type.Object({ 'idempotency-key': Type.Optional(requestToken()) }),
    summary: 'Ask whether actions may be carried out',
    description:
      'Decides each claim in PostgreSQL and answers it in its place. Exactly one caller is told `proceed` for an action; it carries the action out and then records a receipt. The Idempotency-Key header is the request token.',
    settle: async (workspaceNo, request, envelope) => {
      const { waitMs = 0 } = request.body as { waitMs?: number };
      envelope['waitedMs'] = 0;
      const call = { requestToken: requestTokenOf(request), claims: claimsOf(request.body) };
      const results = await (waitMs > 0
        ? waiting(workspaceNo, request, call, waitMs, envelope)
        : ledger.claim(workspaceNo, call));
      for (const result of results) metrics.claim(result instanceof Problem ? 'refused' : result.decision);
      return results;
    },
  });

  async function waiting(
    workspaceNo: number,
    request: FastifyRequest,
    call: ClaimCall,
    waitMs: number,
    envelope: Record<string, unknown>,
  ): Promise<Results<ClaimAnswer>> {
    const caller = hangUp(request);
    try {
      return await ledger.claim(workspaceNo, {
        ...call,
        waitMs,
        signal: AbortSignal.any([ending, caller.signal]),
        onWaited: (waitedMs) => (envelope['waitedMs'] = Math.floor(waitedMs)),
      });
    } finally {
      caller.end();
    }
  }

  const actionsOf = itemReader(registrationBatch, Registration);
  addBatchRoute(app, ledgerId, {
    url: '/v1/actions',
    batch: registrationBatch,
    answer: RegistrationsAnswer,
    scopes: ['claim'],
    tag: 'Claims',
    summary: 'Record actions that nobody is at yet',
    description: 'The actions are pending until somebody claims them. An action that is there already stays as it is.',
    settle: (workspaceNo, { body }) => ledger.register(workspaceNo, actionsOf(body)),
  });
}

const checkToken = checker(requestToken());

/** The header of the IETF draft and the body's field say the same; two different ones are a mistake of the caller. */
function requestTokenOf({ headers, body }: FastifyRequest): string | null {
  const inBody = (body as { requestToken?: string }).requestToken;
  const given = headers['idempotency-key'];
  if (given === undefined) return inBody ?? null;
  // A structured-field string by the draft; most clients send it without the quotation marks.
  const inHeader = /^"(.*)"$/.exec(String(given).trim())?.[1] ?? String(given).trim();
  const problem = checkToken(inHeader);
  if (problem !== null) {
    throw new Problem('invalid_request', problem.message.replace(/^body /, 'Idempotency-Key '), {
      field: 'Idempotency-Key',
    });
  }
  if (inBody !== undefined && inBody !== inHeader) {
    throw new Problem('invalid_request', 'The Idempotency-Key header and requestToken differ. Nothing was claimed.', {
      field: 'requestToken',
      hint: 'Send one of them, or the same value in both.',
    });
  }
  return inHeader;
}

/** Ends the waiting of a caller that is gone. `end` takes the listener off a connection that lives on. */
function hangUp(request: FastifyRequest): { signal: AbortSignal; end: () => void } {
  const gone = new AbortController();
  const { socket } = request.raw;
  const onClose = (): void => {
    gone.abort();
  };
  socket.once('close', onClose);
  return { signal: gone.signal, end: () => socket.off('close', onClose) };
}
