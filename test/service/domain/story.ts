import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { type ClaimAnswer, type ReceiptAnswer, type ReleaseAnswer } from '../../../ledger-service/src/domain/answers';
import { Problem } from '../../../ledger-service/src/domain/problem';
import {
  type ClaimRequest,
  type ReceiptRequest,
  type ResolutionRequest,
} from '../../../ledger-service/src/domain/requests';
import { type OpenLedger } from '../store/open-ledger';
import { storedAction, type StoredAction } from '../store/stored-action';

/** What every story asks for, unless it says otherwise. */
export const DETAILS = { amount: 4900, currency: 'thb' };

/** Long enough for a one-second lease to be over by the database's clock. */
export const LEASE_OVER_MS = 1_060;

export interface Attempt {
  number: number;
  claimToken: string;
  idempotencyKey: string;
  requestToken: string;
  executionId: string;
  leaseExpiresAt: string;
}

let count = 0;

/** One action and what was done with it, told through the ledger's own commands. */
export class Story {
  readonly subject = `workshop-${++count}-${randomUUID().slice(0, 8)}`;
  readonly attempts: Attempt[] = [];
  readonly receipts: ReceiptRequest[] = [];
  /** Taken from the first answer. */
  id: string = randomUUID();

  constructor(
    readonly open: OpenLedger,
    readonly operation = 'reserve-seat',
  ) {}

  get current(): Attempt {
    return this.attempts.at(-1)!;
  }

  get key(): { subject: string; operation: string } {
    return { subject: this.subject, operation: this.operation };
  }

  /** The holder of an attempt: each is an execution of its own. */
  holder(executionId: string): { kind: string; instanceId: string; workflowId: string; executionId: string } {
    return { kind: 'n8n', instanceId: 'n8n-1', workflowId: 'booking', executionId };
  }

  async stored(): Promise<StoredAction | null> {
    return storedAction(this.open.sql, this.open.workspaceNo, this.id);
  }

  async register(details: unknown = DETAILS): Promise<void> {
    const [answer] = await this.open.ledger.register(this.open.workspaceNo, [{ ...this.key, details }]);
    this.id = sound(answer).actionId;
  }

  /** A claim with a call of its own; whatever it is answered. */
  async ask(
    request: Partial<ClaimRequest> = {},
    { requestToken = randomUUID(), position = 0 }: { requestToken?: string; position?: number } = {},
  ): Promise<ClaimAnswer> {
    const before = Array.from({ length: position }, () => new Problem('invalid_request', 'Not part of this story'));
    const answers = await this.open.ledger.claim(this.open.workspaceNo, {
      requestToken,
      claims: [...before, { ...this.key, ...request }],
    });
    const answer = sound(answers[position]);
    this.id = answer.actionId;
    return answer;
  }

  /** A claim that must be granted. Declares the idempotency key where the operation may repeat. */
  async claim(request: Partial<ClaimRequest> & { holder?: ClaimRequest['holder'] } = {}): Promise<ClaimAnswer> {
    const requestToken = randomUUID();
    const executionId = randomUUID().slice(0, 8);
    const holder = { ...this.holder(executionId), sendsIdempotencyKey: this.operation.startsWith('charge') };
    const answer = await this.ask({ details: DETAILS, holder, ...request }, { requestToken });
    if (answer.decision !== 'proceed') throw new Error(`The claim was answered ${answer.decision}: ${answer.reason}`);
    this.attempts.push({
      number: answer.attempt!,
      claimToken: answer.claimToken!,
      idempotencyKey: answer.idempotencyKey!,
      requestToken,
      executionId,
      leaseExpiresAt: answer.leaseExpiresAt!,
    });
    return answer;
  }

  async receipt(
    outcome: ReceiptRequest['outcome'],
    { attempt = this.current, ...more }: Partial<ReceiptRequest> & { attempt?: Attempt } = {},
  ): Promise<ReceiptAnswer> {
    const request = { claimToken: attempt.claimToken, outcome, ...more };
    this.receipts.push(request);
    const [answer] = await this.open.ledger.receipts(this.open.workspaceNo, [request]);
    return sound(answer);
  }

  async release(attempt = this.current): Promise<ReleaseAnswer> {
    const [answer] = await this.open.ledger.releases(this.open.workspaceNo, [{ claimToken: attempt.claimToken }]);
    return sound(answer);
  }

  async heartbeat(attempt = this.current): Promise<{ result: string; leaseExpiresAt: string | null }> {
    const [answer] = await this.open.ledger.heartbeats(this.open.workspaceNo, [{ claimToken: attempt.claimToken }]);
    return sound(answer);
  }

  /** The execution of the current attempt crashed: the quickest way to *unknown* that leaves no receipt. */
  async crash(): Promise<void> {
    await this.open.ledger.endExecution(this.open.workspaceNo, { holder: this.holder(this.current.executionId) });
  }

  async leaseOver(): Promise<void> {
    await sleep(LEASE_OVER_MS);
  }

  /** The fence as a page that is read now would carry it; where there is nothing, there is nothing to read. */
  async fence(): Promise<{ attempt: number; historySeq: number }> {
    const { attempt, historySeq } = (await this.stored()) ?? { attempt: 0, historySeq: 0 };
    return { attempt, historySeq };
  }

  async resolve(
    outcome: ResolutionRequest['outcome'],
    more: Partial<ResolutionRequest> = {},
  ): ReturnType<OpenLedger['ledger']['resolve']> {
    const request = { outcome, reason: 'looked up by hand', ...(await this.fence()), ...more };
    return this.open.ledger.resolve(this.open.workspaceNo, this.id, request, 'tests');
  }

  async override(): Promise<void> {
    await this.open.ledger.override(this.open.workspaceNo, this.id, {
      ...(await this.fence()),
      by: 'Ada',
      secondPerson: 'Grace',
      reason: 'the booking system lost it',
    });
  }
}

/** The answer of a request that must not have been refused. */
export function sound<A>(answer: A | Problem | undefined): A {
  if (answer === undefined) throw new Error('There is no answer in this place');
  if (answer instanceof Problem) throw answer;
  return answer;
}
