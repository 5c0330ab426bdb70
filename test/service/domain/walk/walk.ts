import { Problem } from '../../../../ledger-service/src/domain/problem';
import { openLedger, type OpenLedger } from '../../store/open-ledger';
import { exceptRevision, type StateName, type StoredAction } from '../../store/stored-action';
import { configureOperations, situation, SITUATION_NAMES, type SituationName, tell } from '../situations';
import { type Story } from '../story';

/** What one entry of the history must say; members that are left out are not looked at. */
interface ExpectedEntry {
  kind: string;
  from: StateName;
  to: StateName;
  attempt?: number;
}

/** What the design's table says of a command in one situation. */
export interface Expected {
  /** Members that the answer must have, or the code of the problem that it is refused with. */
  answer: Record<string, unknown> | { problem: string };
  /** The state afterwards. Absent: the pair changes nothing, neither row nor history nor revision. */
  to?: StateName;
  /** An answer of before, once more: nothing moves but the revision, written so that its commit proves what it repeats. */
  repeated?: true;
  /** New history entries, in order. Default none, for what is written without history (a heartbeat). */
  history?: ExpectedEntry[];
  /** Whatever else this pair leaves behind. */
  also?: (after: StoredAction, story: Story, before: StoredAction | null) => void | Promise<void>;
}

export interface Walk {
  /** Runs the command; a problem that is thrown or answered counts as its refusal. */
  run: (story: Story) => Promise<unknown>;
  /** Situations in which the command cannot even be given, and why. */
  impossible?: { because: string; in: readonly SituationName[] };
  /** The pairs of the table. */
  table: Partial<Record<SituationName, Expected>>;
  /** Every other situation: answered so, and nothing is changed. */
  otherwise: Expected['answer'];
}

interface Walked {
  story: Story;
  before: StoredAction | null;
  answer: unknown;
  after: StoredAction | null;
}

jest.setTimeout(60_000);

let open: OpenLedger;
/** The walks of the file, gone at the same time: their leases run out together. */
const walks: (() => Promise<void>)[] = [];

beforeAll(async () => {
  open = await openLedger();
  await configureOperations(open);
  await Promise.all(walks.map((go) => go()));
});

afterAll(() => open.close());

export const ledgerOfFile = (): OpenLedger => open;

/** Walks one command, under one condition, through every situation. */
export function walk(command: string, { run, impossible, table, otherwise }: Walk): void {
  const names = SITUATION_NAMES.filter((name) => impossible?.in.includes(name) !== true);
  const walked = new Map<SituationName, Walked>();
  walks.push(async () => {
    const stories = await tell(open, names);
    const go = async ([name, story]: [SituationName, Story]): Promise<void> => {
      const before = await story.stored();
      const answer = await run(story).catch((error: unknown) => error);
      walked.set(name, { story, before, answer, after: await story.stored() });
    };
    await Promise.all([...stories].map(go));
  });

  describe(command, () => {
    test.each(names)('%s', async (name) => {
      const { story, before, answer, after } = walked.get(name)!;
      if (answer instanceof Error && !(answer instanceof Problem)) throw answer;
      const expected = table[name] ?? { answer: otherwise };
      expect(before?.state ?? 'none').toBe(situation(name).state);
      if ('problem' in expected.answer) expect(answer).toMatchObject({ code: expected.answer.problem });
      else expect(answer).toMatchObject(expected.answer);
      if (expected.repeated === true) {
        expect(after?.revision).toBe(before!.revision + 1);
        expect(exceptRevision(after)).toEqual(exceptRevision(before));
        return;
      }
      if (expected.to === undefined) {
        expect(after).toEqual(before);
        return;
      }
      expect(after?.state).toBe(expected.to);
      const added = after!.history.slice(before?.history.length ?? 0);
      expect(added).toMatchObject(expected.history ?? []);
      expect(after!.historySeq).toBe((before?.historySeq ?? 0) + added.length);
      if (!(answer instanceof Problem) && hasFence(answer)) {
        expect({ attempt: after!.attempt, historySeq: after!.historySeq, state: after!.state }).toEqual({
          attempt: answer.attempt,
          historySeq: answer.historySeq,
          state: answer.state,
        });
      }
      await expected.also?.(after!, story, before);
    });
  });
}

const hasFence = (answer: unknown): answer is { attempt: number; historySeq: number; state: string } =>
  typeof answer === 'object' && answer !== null && 'historySeq' in answer;
