import { type StoredAction } from '../../store/stored-action';
import { SITUATION_NAMES, tell } from '../situations';
import { type Story } from '../story';
import { ledgerOfFile } from './walk';

/** A sweep meets all actions at once, so that it is walked once over all situations. */
const ENDED: Record<string, { to: string; attempt: number }> = {
  'in progress: lease over': { to: 'unknown', attempt: 1 },
  'in progress: a repeat, lease over': { to: 'unknown', attempt: 2 },
  'in progress: effect seen, lease over': { to: 'confirmed', attempt: 2 },
};

describe('sweep', () => {
  let stories: Map<string, Story>;
  const before = new Map<string, StoredAction | null>();
  let swept: number;

  beforeAll(async () => {
    stories = await tell(ledgerOfFile(), SITUATION_NAMES);
    for (const [name, story] of stories) before.set(name, await story.stored());
    swept = await ledgerOfFile().ledger.sweep();
  });

  test('ends exactly the leases that are over', () => expect(swept).toBe(Object.keys(ENDED).length));

  test.each(SITUATION_NAMES)('%s', async (name) => {
    const after = await stories.get(name)!.stored();
    const was = before.get(name);
    const ended = ENDED[name];
    if (ended === undefined) {
      expect(after).toEqual(was);
      return;
    }
    expect(after?.state).toBe(ended.to);
    expect(after?.history.slice(was?.history.length)).toMatchObject([
      { kind: 'lease_expired', from: 'in_progress', ...ended },
    ]);
    const { unknown } = await stories.get(name)!.ask();
    if (ended.to === 'unknown') expect(unknown).toMatchObject({ cause: 'lease_expired' });
  });

  test('finds nothing the second time', async () => expect(await ledgerOfFile().ledger.sweep()).toBe(0));
});
