import { type Ledger } from '../../../ledger-service/src/store/ledger';
import { type PausePoint } from '../../../ledger-service/src/store/pause-point';
import { configureOperations } from '../domain/situations';
import { openLedger, type OpenLedger } from '../store/open-ledger';
import { passesOf, stoppedAt } from './at-pass';
import { RaceStory } from './race-story';
import { type Outcome, ownOperation, type Race, RACES } from './races';

/**
 * Wherever a ledger is stopped, and whatever another one does in between: the outcome is that of one after the other,
 * and which was first is told by the one statement that decides.
 */
jest.setTimeout(120_000);

let open: OpenLedger;
let stopping: Ledger;
const passed = new Set<PausePoint>();

beforeAll(async () => {
  open = await openLedger();
  await configureOperations(open);
  stopping = open.another();
});
afterAll(() => open.close());

async function begun({ operation, policy, make }: Race): Promise<RaceStory> {
  const story = new RaceStory(open, policy === undefined ? operation : ownOperation());
  if (policy != null) await open.configure(story.operation, policy);
  await make(story);
  await story.begin();
  return story;
}

/** The passes of the one that is stopped, when nobody comes in between; its memory is warm, as it is in service. */
async function passesOfStopped(race: Race): Promise<PausePoint[]> {
  await race.stopped(await begun(race), stopping);
  const story = await begun(race);
  return passesOf(() => race.stopped(story, stopping));
}

async function outcomeAt(race: Race, pass: number): Promise<Outcome & { point: PausePoint | null }> {
  const story = await begun(race);
  let other: unknown = 'did not come to it';
  const { result, point } = await stoppedAt(
    pass,
    () => race.stopped(story, stopping),
    async () => (other = await race.other(story, open.ledger)),
  );
  return { point, stopped: result, other, stored: await story.stored() };
}

test.each(RACES.map((race): [string, Race] => [race.name, race]))('%s', async (_name, race) => {
  const passes = await passesOfStopped(race);
  const lastSentBefore = (point: PausePoint): number => passes.lastIndexOf('connected', passes.lastIndexOf(point));
  const decided = lastSentBefore(race.decidedBy);
  const over = race.between === undefined ? decided : lastSentBefore(race.between.decidedBy);
  // All orders happen, or the race is none.
  expect(decided).toBeGreaterThan(0);
  if (race.between !== undefined) expect(over).toBeGreaterThan(decided);
  expect(over).toBeLessThan(passes.length - 1);
  for (const [pass, point] of passes.entries()) {
    passed.add(point);
    const outcome = await outcomeAt(race, pass);
    const expected = pass <= decided ? race.otherFirst : pass <= over ? race.between : race.stoppedFirst;
    const { stopped, other, stored } = expected as Outcome;
    expect({ pass, ...outcome }).toMatchObject({ pass, point, stopped, other, stored });
  }
});

test('the races stop at every point of a command that is not about a lost connection, a wait or HTTP', () => {
  expect([...passed].sort()).toEqual(
    [
      'operations ensured',
      'actions read',
      'operations of the actions ensured',
      'newest versions known',
      'decided',
      'unchanged answers logged',
      'changes written',
      'followers logged',
      'round over',
      'batch chosen',
      'batch settled',
      'caller told',
      'operations looked for',
      'operations made',
      'subject versions moved',
      'event claims counted',
      'overdue leases found',
      'held claims found',
      'policy ensured',
      'policy found',
      'policy saved',
      'connected',
      'statement answered',
    ].sort(),
  );
});
