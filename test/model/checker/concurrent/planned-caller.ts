import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { type Step } from './plan';
import { type ClaimAnswer } from '../history';
import { type ActionName, LedgerCaller, UNDISTURBED } from './ledger-caller';
import { type HistoryRecorder } from '../record-history';
import { type TwoServices } from './two-services';

export const OPERATION = 'reserve-seat';

/** A call for a claim: what is sent again is sent just so. */
interface Request {
  readonly requestToken: string;
  readonly leaseSeconds: number;
  readonly executionId: string;
}

/** What all callers know of the actions: who was granted what. A zombie is a caller that uses an old line of it. */
export class Board {
  private readonly grants = new Map<string, { claimToken: string; executionId: string }[]>();
  private readonly requests = new Map<string, Request[]>();
  private readonly ids = new Map<string, string>();

  granted(subject: string, claimToken: string, executionId: string): void {
    const known = this.grants.get(subject) ?? [];
    if (known.some((one) => one.claimToken === claimToken)) return;
    this.grants.set(subject, [{ claimToken, executionId }, ...known]);
  }

  asked(subject: string, request: Request): void {
    this.requests.set(subject, [request, ...(this.requests.get(subject) ?? [])]);
  }

  seen(subject: string, actionId: string): void {
    this.ids.set(subject, actionId);
  }

  grant = (subject: string, back: number) => atOrLast(this.grants.get(subject), back);
  request = (subject: string, back: number) => atOrLast(this.requests.get(subject), back);
  idOf = (subject: string): string | undefined => this.ids.get(subject);
}

const atOrLast = <T>(list: readonly T[] | undefined, at: number): T | undefined => list?.[at] ?? list?.at(-1);

/** Does its part of the plan, one step after the other. */
export class PlannedCaller {
  constructor(
    private readonly name: string,
    private readonly services: TwoServices,
    private readonly recorder: HistoryRecorder,
    private readonly board: Board,
  ) {}

  async run(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      if (step.waitMs > 0) await sleep(step.waitMs);
      if (step.trouble !== null) this.services.make(step.trouble);
      await this.take(step);
    }
  }

  private ledger(step: Step, disturbed = step.disturbed): LedgerCaller {
    const { services, recorder, name } = this;
    const url = services.urls[step.service] ?? services.directUrl;
    return new LedgerCaller({ name, url, apiKey: services.apiKey, recorder, disturbed });
  }

  /** The same call again while no answer came, as the documentation asks for, and not for ever. */
  private async repeated<A>(step: Step, call: (ledger: LedgerCaller) => Promise<A | 'maybe'>): Promise<A | 'maybe'> {
    let answer = await call(this.ledger(step));
    for (let left = step.repeats; answer === 'maybe' && left > 0; left--) {
      answer = await call(this.ledger(step, UNDISTURBED));
    }
    return answer;
  }

  private async take(step: Step): Promise<void> {
    const { subject } = step;
    const action: ActionName = { subject, operation: OPERATION };
    const grant = this.board.grant(subject, step.back);
    const request = this.board.request(subject, step.back);
    const id = this.board.idOf(subject);
    if (step.kind === 'register') await this.repeated(step, (ledger) => ledger.register(action));
    else if (step.kind === 'the same call' && request !== undefined) await this.claim(step, action, request);
    else if (step.kind === 'release of a call' && request !== undefined) {
      await this.repeated(step, (ledger) => ledger.releaseCall(action, request.requestToken));
    } else if (step.kind === 'find' || (step.kind === 'read' && id === undefined)) {
      await this.ledger(step).find(action);
    } else if (step.kind === 'read' && id !== undefined) await this.ledger(step).read(action, id);
    else if ((step.kind === 'resolve' || step.kind === 'override') && id !== undefined)
      await this.decide(step, action, id);
    else if (grant === undefined || step.kind === 'claim') await this.claim(step, action, newRequest(step));
    else if (step.kind === 'ended') await this.ledger(step).ended(action, grant.executionId);
    else await this.holds(step, action, grant.claimToken);
  }

  private async claim(step: Step, action: ActionName, request: Request): Promise<void> {
    const { requestToken, leaseSeconds, executionId } = request;
    this.board.asked(step.subject, request);
    const answer = await this.repeated<ClaimAnswer | { refused: string }>(step, (ledger) =>
      ledger.claim(action, requestToken, leaseSeconds, executionId),
    );
    if (answer === 'maybe' || 'refused' in answer) return;
    const { claimToken, actionId } = answer as ClaimAnswer & { actionId: string };
    this.board.seen(step.subject, actionId);
    if (typeof claimToken === 'string') this.board.granted(step.subject, claimToken, executionId);
  }

  private async holds(step: Step, action: ActionName, claimToken: string): Promise<void> {
    await this.repeated<unknown>(step, (ledger) => {
      if (step.kind === 'heartbeat') return ledger.heartbeat(action, claimToken);
      if (step.kind === 'release') return ledger.release(action, claimToken);
      return ledger.receipt(action, claimToken, step.outcome, step.reference);
    });
  }

  /** Looks the action up, and decides on what it saw. */
  private async decide(step: Step, action: ActionName, id: string): Promise<void> {
    const seen = await this.ledger(step, UNDISTURBED).read(action, id);
    if (seen === 'maybe' || 'refused' in seen) return;
    const { attempt, historySeq } = seen;
    if (typeof attempt !== 'number' || typeof historySeq !== 'number') return;
    const fence = { attempt, historySeq };
    if (step.kind === 'override') await this.ledger(step).override(action, id, fence);
    else await this.ledger(step).resolve(action, id, { outcome: step.resolution, ...fence });
  }
}

const newRequest = ({ leaseSeconds }: Step): Request => ({
  requestToken: randomUUID(),
  leaseSeconds,
  executionId: randomUUID(),
});
