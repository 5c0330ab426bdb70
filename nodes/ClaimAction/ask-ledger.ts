import type { IExecuteFunctions } from 'n8n-workflow';

import { chunk } from '../shared/chunks';
import { keepForRelease } from '../shared/held-claims';
import { isRecord, itemProblem } from '../shared/ledger-api';
import type { ClaimAnswer, ClaimRequest, Problem, ReleaseRequest } from '../shared/ledger-api';
import { forgetRequestTokens, requestToken } from '../shared/request-token';
import { Stopwatch } from '../shared/stopwatch';
import { batchResults, callLedger, CLAIM_PAUSES_MS, incompleteAnswer } from '../shared/transport';
import type { LedgerFailure } from '../shared/transport';
import { readClaimAnswer } from './claim-answer';
import { LeaseAge } from './lease-age';

export interface PreparedClaim {
  itemIndex: number;
  claim: ClaimRequest;
}

export interface AnsweredClaim {
  itemIndex: number;
  result: { answer: ClaimAnswer } | { problem: Problem };
  /** How long a granted lease may have been running, to see whether enough of it is left. */
  leaseAge: LeaseAge;
}

const ANSWER_TIMEOUT_MS = 20_000;

/**
 * One node run's calls to the ledger, and what has to be given back if the run does not go on. Claims that were granted
 * but not let through would otherwise stay held until their lease ends, and become unknown although nothing was sent.
 */
export class LedgerInquiry {
  readonly answered: AnsweredClaim[] = [];

  private readonly unsent: ReleaseRequest[] = [];

  constructor(
    private readonly context: IExecuteFunctions,
    private readonly waitMs: number,
  ) {}

  /** Claims in calls of up to 500. Undefined when every call was answered; otherwise why one was not. */
  async ask(claims: PreparedClaim[]): Promise<LedgerFailure | undefined> {
    const started = new Stopwatch();
    const keys = new Set<string>();
    for (const [call, part] of chunk(claims, ({ claim }) => claim).entries()) {
      // Waiting for one item must not use up the lease of another that was granted.
      const isGranted = this.unsent.length > 0;
      const waitMs = isGranted ? 0 : Math.max(0, Math.round(this.waitMs - started.elapsedMs()));
      const failure = await this.askPart(part, call, waitMs, keys);
      if (failure !== undefined) return failure;
    }
    if (this.context.getExecutionCancelSignal()?.aborted === true) return stopped();
    return undefined;
  }

  private async askPart(
    part: PreparedClaim[],
    call: number,
    waitMs: number,
    keys: Set<string>,
  ): Promise<LedgerFailure | undefined> {
    const token = requestToken(this.context, call);
    const sent = new Stopwatch();
    const answer = await callLedger(this.context, {
      method: 'POST',
      path: '/v1/claims',
      body: { requestToken: token, waitMs, claims: part.map(({ claim }) => claim) },
      timeoutMs: waitMs + ANSWER_TIMEOUT_MS,
      retryPausesMs: CLAIM_PAUSES_MS,
    });
    if (!answer.ok) {
      if (answer.failure.sent === 'maybe') this.unsent.push(...byPosition(token, part));
      return answer.failure;
    }
    const results = batchResults(answer, part.length);
    const leaseAge = new LeaseAge(sent, answer.body.waitedMs, waitMs);
    const failure = results === undefined ? incompleteAnswer(part.length) : this.take(part, results, leaseAge, keys);
    // The ledger may have granted what this node cannot read: its own record of the call says what to give back.
    if (failure !== undefined) this.unsent.push(...byPosition(token, part));
    return failure;
  }

  private take(
    part: PreparedClaim[],
    results: unknown[],
    leaseAge: LeaseAge,
    keys: Set<string>,
  ): LedgerFailure | undefined {
    for (const [position, { itemIndex, claim }] of part.entries()) {
      const result = readClaimAnswer(results[position], claim);
      if ('unexpected' in result) return notUnderstood(result.unexpected);
      if ('answer' in result && result.answer.decision === 'proceed') {
        const { actionKey, claimToken } = result.answer;
        if (keys.has(actionKey ?? '')) return notUnderstood('two permissions for one action key');
        keys.add(actionKey ?? '');
        this.unsent.push({ claimToken: claimToken ?? '' });
      }
      this.answered.push({ itemIndex, result, leaseAge });
    }
    return undefined;
  }

  /** Gives everything back that was granted; nothing of it was executed. */
  async giveAllBack(): Promise<void> {
    await giveBack(this.context, this.unsent.splice(0));
    forgetRequestTokens(this.context);
  }
}

/** Releases claims. What cannot be released now is tried once more when the execution ends. */
export async function giveBack(context: IExecuteFunctions, releases: ReleaseRequest[]): Promise<void> {
  for (const part of chunk(releases, (release) => release)) {
    const answer = await callLedger(context, {
      method: 'POST',
      path: '/v1/releases',
      body: { releases: part },
      timeoutMs: 10_000,
      retryPausesMs: CLAIM_PAUSES_MS,
      evenWhenStopped: true,
    });
    const results = answer.ok ? batchResults(answer, part.length) : undefined;
    keepForRelease(context, results === undefined ? part : part.filter((_, at) => isStillHeld(results[at])));
  }
}

/** An item problem means "no such claim", which is nothing to give back. */
function isStillHeld(result: unknown): boolean {
  if (itemProblem(result) !== undefined) return false;
  return !isRecord(result) || (result.result !== 'released' && result.result !== 'not_applicable');
}

/** For a call whose answer was lost: the ledger finds what it granted by the request token and the place in the call. */
function byPosition(token: string, part: PreparedClaim[]): ReleaseRequest[] {
  return part.map(({ claim: { subject, operation, account, version } }, position) => ({
    requestToken: token,
    position,
    subject,
    operation,
    account,
    version,
  }));
}

function notUnderstood(what: string): LedgerFailure {
  return {
    kind: 'unexpected_answer',
    code: 'unexpected_answer',
    message: 'The ledger gave an answer that this node does not understand',
    description: `It answered with ${what}. Check that the service and these nodes have versions that fit.`,
    status: null,
    sent: 'maybe',
  };
}

function stopped(): LedgerFailure {
  return {
    kind: 'unreachable',
    code: 'execution_stopped',
    message: 'The execution was stopped while the ledger was asked',
    description: 'What was granted is given back.',
    status: null,
    sent: 'maybe',
  };
}
