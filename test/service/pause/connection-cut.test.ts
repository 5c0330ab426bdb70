import { setTimeout as sleep } from 'node:timers/promises';

import { Problem } from '../../../ledger-service/src/domain/problem';
import { type Ledger } from '../../../ledger-service/src/store/ledger';
import { type PausePoint } from '../../../ledger-service/src/store/pause-point';
import { configureOperations } from '../domain/situations';
import { openLedger, type OpenLedger } from '../store/open-ledger';
import { passesOf, stoppedAt, stoppedOnceAt } from './at-pass';
import { RaceStory } from './race-story';
import { ownOperation, type Race, RACES } from './races';

/** The database ends the ledger's connections at every point of a command: it is answered as if nothing had been. */
jest.setTimeout(180_000);

let open: OpenLedger;
let stopping: Ledger;
beforeAll(async () => {
  open = await openLedger();
  await configureOperations(open);
  stopping = open.another({ databaseUrl: `${open.url}?application_name=stopping` });
});
afterAll(() => open.close());

/** Waits until they are gone: a backend that was told to end may still answer a statement. */
async function endConnections(): Promise<void> {
  const theirs = `FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'stopping'`;
  while ((await open.sql.query(`SELECT pg_terminate_backend(pid) ${theirs}`)).rows.length > 0) await sleep(2);
}

/** One of each command: the races that begin with the same are one. */
const COMMANDS: readonly string[] = [
  'a first claim and another',
  'a first claim of an operation that nobody has named and another',
  'a first claim for an event and another for the same event',
  'a first claim with a subject version and a claim with a newer one',
  'a claim of what is in progress and the receipt',
  'a claim that finds the lease over and the late receipt',
  'a safe repeat and the finding that it happened',
  'a receipt and the contrary',
  'a heartbeat and the receipt',
  'the finding that nothing happened and the receipt',
];

/** Not gathered in batches, and so not tried again: the caller is told that it failed, and nothing is half done. */
const NOT_TRIED_AGAIN: readonly string[] = [
  'a sweep and another',
  'the end of an execution and its receipt',
  'a policy and another, both over the same revision',
];

const raceOf = (name: string): [string, Race] => [name, RACES.find((race) => race.name === name)!];

async function begun({ operation, policy, make }: Race): Promise<RaceStory> {
  const story = new RaceStory(open, policy === undefined ? operation : ownOperation());
  if (policy != null) await open.configure(story.operation, policy);
  await make(story);
  await story.begin();
  return story;
}

/** What differs from one story to the next, whatever happens: names, secrets and moments. */
const OWN =
  /"(id|actionId|actionKey|subject|executionId|claimToken|idempotencyKey)":"[^"]*"|"(since|now)":[\d.]+|\d{4}-\d\d-\d\d[T ][\d:.]+Z?/g;
const comparable = (result: unknown): string => JSON.stringify(result ?? null).replaceAll(OWN, '…');

async function undisturbed(race: Race): Promise<{ result: string; stored: string; passes: PausePoint[] }> {
  await race.stopped(await begun(race), stopping);
  const story = await begun(race);
  let result: unknown;
  const passes = await passesOf(async () => (result = await race.stopped(story, stopping)));
  return { result: comparable(result), stored: await storedOf(story), passes };
}

const storedOf = async (story: RaceStory): Promise<string> => {
  const stored = await story.stored();
  return comparable(stored && { ...stored, raw: null, revision: null });
};

test.each(COMMANDS.map(raceOf))('%s: only the first, its connection ended anywhere', async (_name, race) => {
  const { result, stored, passes } = await undisturbed(race);
  const resolves = /^"resolved"$/.test(result);
  for (const [pass, point] of passes.entries()) {
    const story = await begun(race);
    const met = await stoppedAt(pass, () => race.stopped(story, stopping), endConnections);
    const found = { pass, point: met.point, result: comparable(met.result), stored: await storedOf(story) };
    if (resolves && met.result === 'ledger_unavailable') {
      // Sent again by itself it would be judged by its own effect: its owner looks first. Cut here, nothing was written.
      expect(point).toBe('connected');
      expect(pass).toBeLessThanOrEqual(passes.lastIndexOf('connected'));
    } else {
      expect(found).toEqual({ pass, point, result, stored });
    }
  }
});

test.each(NOT_TRIED_AGAIN.map(raceOf))('%s: only the first, and once more where it was cut', async (_name, race) => {
  const { passes } = await undisturbed(race);
  let cut = 0;
  for (const [pass] of passes.entries()) {
    const story = await begun(race);
    const ask = (): Promise<unknown> => race.stopped(story, stopping);
    const { result } = await stoppedAt(pass, () => ask().catch((error: unknown) => error), endConnections);
    if (result instanceof Error) {
      expect(result instanceof Problem ? result.code : 'lost').toBe('lost');
      cut++;
      await ask();
    }
    const stored = await story.stored();
    if (race.policy === undefined) expect({ pass, ...stored }).toMatchObject({ pass, state: 'unknown', historySeq: 2 });
    else
      expect(await open.ledger.operations.find({ workspaceNo: open.workspaceNo, name: story.operation })).toMatchObject(
        { policy: { leaseSeconds: 60 } },
      );
  }
  expect(cut).toBeGreaterThan(0);
});

test.each(['batch failed', 'batch tried again'] as const)(
  'the connection was ended, and another claims before it is tried again: %s',
  async (point) => {
    const [, race] = raceOf('a first claim and another');
    await race.stopped(await begun(race), stopping);
    const story = await begun(race);
    let other: unknown;
    const result = await stoppedOnceAt(
      'connected',
      () =>
        stoppedOnceAt(
          point,
          () => race.stopped(story, stopping),
          async () => (other = await race.other(story, open.ledger)),
        ),
      endConnections,
    );
    expect({ result, other, stored: await story.stored() }).toMatchObject({
      result: race.otherFirst.stopped,
      other: race.otherFirst.other,
      stored: race.otherFirst.stored,
    });
  },
);
