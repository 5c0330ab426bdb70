import { randomInt } from 'node:crypto';

import { Problem } from '../../../ledger-service/src/domain/problem';
import { ledgerForFile } from './ledger-for-file';
import { type Attempt, DETAILS, type Story } from './story';

jest.setTimeout(60_000);

const STORIES = 60;
const STEPS = 25;

const file = ledgerForFile();

beforeAll(() => file.open.configure('charge', { maxAttempts: 1_000 }));

/** A small generator of numbers (mulberry32), so that a story can be told again by its seed. */
function numbersOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** What an onlooker knows, who keeps the sentences of the design in mind and nothing of the code. */
class Onlooker {
  /** Attempts of which nobody has said how they ended. */
  readonly unresolved = new Set<number>();
  /** Somebody has evidence of the effect, and nobody has taken it back. */
  happened = false;
  /** Attempts that were sent under the present key, and whether its only one is known to have failed. */
  sent: number[] = [];
  failedOnly = false;
  key: string | null = null;
  /** The key that each attempt was granted under. */
  private readonly keys = new Map<number, string>();

  granted({ number, idempotencyKey }: Attempt, repeat: boolean): void {
    // Nothing proceeds that has happened, and nothing but a repeat while an earlier attempt may have had its effect.
    expect(this.happened).toBe(false);
    if (!repeat) expect([...this.unresolved]).toEqual([]);
    if (this.unresolved.size > 0) expect(idempotencyKey).toBe(this.key);
    // A new key only after a failed receipt of the only attempt that was ever sent under the old one.
    if (this.key !== null && idempotencyKey !== this.key) expect(this.failedOnly).toBe(true);
    if (idempotencyKey !== this.key) this.sent = [];
    this.key = idempotencyKey;
    this.sent.push(number);
    this.keys.set(number, idempotencyKey);
    this.failedOnly = false;
    this.unresolved.add(number);
  }

  released(number: number): void {
    this.unresolved.delete(number);
    this.sent = this.sent.filter((one) => one !== number);
  }

  receipt(number: number, outcome: 'confirmed' | 'failed' | 'unknown', replayed: boolean): void {
    if (replayed) return;
    // Released, and yet there is a receipt of it: it was sent after all.
    if (!this.sent.includes(number) && this.keys.get(number) === this.key) this.sent.push(number);
    if (outcome === 'confirmed') {
      this.happened = true;
      // Should somebody take that back, it is not known again how this attempt ended.
      this.unresolved.add(number);
    }
    if (outcome === 'failed') {
      this.unresolved.delete(number);
      if (this.isOnlySent(number)) this.failedOnly = true;
    }
    if (outcome === 'unknown' && this.isOnlySent(number)) this.failedOnly = false;
  }

  private isOnlySent(number: number): boolean {
    return this.sent.length === 1 && this.sent[0] === number;
  }

  reconciled(outcome: 'happened' | 'not_happened'): void {
    if (outcome === 'happened') this.happened = true;
    else {
      this.unresolved.clear();
      this.failedOnly = false;
    }
  }

  overridden(): void {
    this.happened = false;
    this.failedOnly = false;
  }
}

const tokens = new Set<string>();

async function step(story: Story, onlooker: Onlooker, below: (limit: number) => number): Promise<string> {
  const anyAttempt = story.attempts[below(Math.max(1, story.attempts.length))];
  const choice = anyAttempt === undefined ? 0 : below(14);
  switch (choice) {
    case 0:
    case 1:
    case 2:
    case 3: {
      const declares = below(3) > 0;
      const holder = { ...story.holder(`${below(1e9)}`), sendsIdempotencyKey: declares };
      const requestToken = `token-${story.subject}-${below(1e9)}`;
      const answer = await story.ask({ holder, ...(below(4) > 0 ? { details: DETAILS } : {}) }, { requestToken });
      if (answer.decision !== 'proceed') return `claim: ${answer.decision}`;
      const attempt: Attempt = {
        number: answer.attempt!,
        claimToken: answer.claimToken!,
        idempotencyKey: answer.idempotencyKey!,
        requestToken,
        executionId: holder.executionId,
        leaseExpiresAt: answer.leaseExpiresAt!,
      };
      // A number is never given out twice, nor is a token.
      expect(attempt.number).toBe((story.attempts.at(-1)?.number ?? 0) + 1);
      expect(tokens.has(attempt.claimToken)).toBe(false);
      tokens.add(attempt.claimToken);
      onlooker.granted(attempt, answer.repeat);
      story.attempts.push(attempt);
      return `claim: proceed ${attempt.number}${answer.repeat ? ' (repeat)' : ''}`;
    }
    case 4: {
      const { result, replayed } = await story.release(anyAttempt);
      if (result === 'released' && !replayed) onlooker.released(anyAttempt!.number);
      return `release ${anyAttempt!.number}: ${result}`;
    }
    case 5:
    case 6:
    case 7:
    case 8: {
      const outcome = (['confirmed', 'failed', 'failed', 'unknown', 'unknown'] as const)[below(5)]!;
      const answer = await story.receipt(outcome, {
        attempt: anyAttempt!,
        ...(outcome === 'confirmed' ? { reference: `CH-${below(3)}` } : {}),
        evidence: { n: below(4) },
      });
      if (answer.result !== 'not_applicable') onlooker.receipt(anyAttempt!.number, outcome, answer.replayed);
      return `receipt ${outcome} of ${anyAttempt!.number}: ${answer.result} -> ${answer.state}`;
    }
    case 9: {
      const { result } = await story.heartbeat(anyAttempt);
      if (result === 'extended') expect(anyAttempt!.number).toBe(story.current.number);
      return `heartbeat of ${anyAttempt!.number}: ${result}`;
    }
    case 10:
      await story.crash();
      return 'crash';
    case 11:
      // As when the lease has just run out.
      await file.open.sql.query(
        'UPDATE action_ledger.open_actions SET due_at = clock_timestamp() WHERE id = $1 AND state = 2',
        [story.id],
      );
      return 'lease over';
    case 12: {
      const outcome = (['happened', 'not_happened', 'still_unknown'] as const)[below(3)]!;
      const stale = below(4) === 0 ? { historySeq: 0 } : {};
      const refused = await refusal(() => story.resolve(outcome, { reference: `CH-${below(3)}`, ...stale }));
      if (refused === null && outcome !== 'still_unknown') onlooker.reconciled(outcome);
      return `reconcile ${outcome}: ${refused ?? 'resolved'}`;
    }
    default: {
      const refused = await refusal(() => story.override());
      if (refused === null) onlooker.overridden();
      return `override: ${refused ?? 'overridden'}`;
    }
  }
}

async function refusal(work: () => Promise<unknown>): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof Problem && ['not_applicable', 'stale_resolution'].includes(error.code)) return error.code;
    throw error;
  }
}

/** What must hold between two steps. */
async function expectHolds(story: Story, onlooker: Onlooker): Promise<void> {
  const stored = await story.stored();
  if (stored === null) return;
  // Positive evidence is never filed away: it decides the state, at once or when the newer attempt ends.
  if (onlooker.happened) expect(['confirmed', 'in_progress']).toContain(stored.state);
  else expect(stored.state).not.toBe('confirmed');
  // What may have happened is never called failed or pending.
  if (onlooker.unresolved.size > 0) expect(['in_progress', 'unknown', 'confirmed']).toContain(stored.state);
}

test(`${STORIES} stories of ${STEPS} random steps: no second effect, nothing confirmed is lost, no key changes too early`, async () => {
  const first = randomInt(1e9);
  const ends = await Promise.allSettled(
    Array.from({ length: STORIES }, async (_, index) => {
      const seed = first + index;
      const below = numbersOf(seed);
      const story = file.story('charge');
      const onlooker = new Onlooker();
      const told: string[] = [];
      try {
        for (let number = 0; number < STEPS; number++) {
          told.push(await step(story, onlooker, below));
          await expectHolds(story, onlooker);
        }
        const action = (await file.open.ledger.reading.byId(file.open.workspaceNo, story.id))!;
        expect((await file.open.ledger.reading.history(action)).verified).toBe(true);
      } catch (error) {
        throw new Error(`The story of seed ${seed} went wrong after:\n${told.join('\n')}\n${String(error)}`, {
          cause: error,
        });
      }
    }),
  );
  const wrong = ends.find((end) => end.status === 'rejected');
  if (wrong !== undefined) throw wrong.reason as Error;
});
