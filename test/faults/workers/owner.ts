import { setTimeout as sleep } from 'node:timers/promises';

import { type HistoryRecorder } from '../../model/checker';
import { OPERATION } from '../load/settings';
import { API_KEY } from '../servers/ledger-service';

/** What an owner needs to see of an action. */
export interface ActionView {
  actionId: string;
  state: 'pending' | 'in_progress' | 'confirmed' | 'failed' | 'unknown';
  attempt: number;
  historySeq: number;
  cause: string | null;
  contradictions: string[];
  references: string[];
}

export type Finding = 'happened' | 'not_happened';

const PATIENCE_MS = 60_000;

/** Who looks after what is unknown: asks the destination, and tells the ledger what was found. */
export class Owner {
  constructor(private readonly options: { ledgerUrl: string; destinationUrl: string }) {}

  async find(recorder: HistoryRecorder, subject: string): Promise<ActionView | undefined> {
    const query = new URLSearchParams({ subject, operation: OPERATION });
    const found = await recorder.record(subject, 'owner', { kind: 'read' }, async () => {
      const { body } = await this.settled('GET', `/v1/actions?${query.toString()}`);
      return (body as { actions: ActionView[] }).actions[0] ?? { state: 'none' };
    });
    return found !== 'maybe' && 'actionId' in found ? (found as ActionView) : undefined;
  }

  /**
   * Looks up and resolves. Null where the ledger did not take it: the action moved on, or the settle time is not over and
   * nothing was found. Then another look is needed, not the same answer again.
   */
  async resolve(recorder: HistoryRecorder, subject: string, action: ActionView): Promise<Finding | null> {
    const references = await this.lookUp(subject);
    const outcome: Finding = references.length > 0 ? 'happened' : 'not_happened';
    const { actionId, attempt, historySeq } = action;
    const resolution = { outcome, attempt, historySeq, references };
    const answer = await recorder.record(subject, 'owner', { kind: 'resolve', ...resolution }, async () => {
      const { status, body } = await this.ask('POST', `/v1/actions/${actionId}/resolution`, {
        ...resolution,
        foundBy: 'lookup',
        by: 'booking desk',
        reason: `Looked up ${subject} in the booking system: ${references.length} found`,
        evidence: { bookings: references },
      });
      if (status === 503) return 'maybe';
      if (status !== 200) return { refused: (body as { code: string }).code };
      const { state, attempt: now, historySeq: seq } = (body as { action: ActionView }).action;
      return { result: 'resolved', state, attempt: now, historySeq: seq };
    });
    if (answer !== 'maybe') return 'result' in answer ? outcome : null;
    // It may have been written and is not sent again: the action itself says whether it was.
    const now = await this.find(recorder, subject);
    return now?.historySeq === historySeq + 1 && now.state !== 'unknown' ? outcome : null;
  }

  /** How long *not found* proves nothing, for the operation of these faults. */
  async setSettleSeconds(settleSeconds: number): Promise<void> {
    const route = `/v1/operations/${OPERATION}`;
    for (;;) {
      const { body } = await this.settled('GET', route);
      const policy = body as { configured: boolean; revision: number; settleSeconds: number };
      if (policy.settleSeconds === settleSeconds) return;
      await this.ask('PUT', route, { settleSeconds, ...(policy.configured && { revision: policy.revision }) });
    }
  }

  private async lookUp(subject: string): Promise<string[]> {
    const response = await fetch(`${this.options.destinationUrl}/bookings?reference=${subject}`);
    const { bookings } = (await response.json()) as { bookings: { reference: string }[] };
    return bookings.map(({ reference }) => reference);
  }

  /** Asked again while the ledger puts it off: for what may be asked twice. */
  private async settled(method: string, route: string): Promise<{ status: number; body: unknown }> {
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      const answer = await this.ask(method, route);
      if (answer.status === 200) return answer;
      if (performance.now() > end) throw new Error(`${method} ${route} answered 503 for ${PATIENCE_MS} ms`);
      await sleep(100);
    }
  }

  /** 200, 409 with what the ledger has against it, or 503. Anything else is a fault of the ledger, and thrown. */
  private async ask(method: string, route: string, body?: object): Promise<{ status: number; body: unknown }> {
    const response = await fetch(`${this.options.ledgerUrl}${route}`, {
      method,
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer: unknown = await response.json();
    if ([200, 409, 503].includes(response.status)) return { status: response.status, body: answer };
    throw new Error(`${method} ${route} answered ${response.status}: ${JSON.stringify(answer)}`);
  }
}
