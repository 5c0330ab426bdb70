import { SITUATION_NAMES, situation } from '../situations';
import { type Story } from '../story';
import { type Expected, walk } from './walk';

const override = async (story: Story, behind = 0): Promise<unknown> => {
  const { attempt, historySeq } = await story.fence();
  return story.open.ledger.override(story.open.workspaceNo, story.id, {
    attempt,
    historySeq: historySeq - behind,
    by: 'Ada',
    secondPerson: 'Grace',
    reason: 'the hotel has no such booking',
  });
};

const overridden: Expected = {
  answer: {},
  to: 'unknown',
  history: [{ kind: 'overridden', from: 'confirmed', to: 'unknown' }],
  also: async (after, story) => {
    expect(after.history.at(-1)?.details).toEqual({
      by: 'Ada',
      secondPerson: 'Grace',
      reason: 'the hotel has no such booking',
    });
    expect((await story.ask()).decision).toBe('unknown');
  },
};

const none = { answer: { problem: 'action_unknown' } };
const confirmed = SITUATION_NAMES.filter((name) => situation(name).state === 'confirmed');

walk('override', {
  run: (story) => override(story),
  table: { none, ...Object.fromEntries(confirmed.map((name) => [name, overridden])) },
  otherwise: { problem: 'not_applicable' },
});

walk('override, on a page from before the last change', {
  run: (story) => override(story, 1),
  table: { none },
  otherwise: { problem: 'stale_resolution' },
});
