import { type Story } from '../story';
import { NEVER_CLAIMED, NO_OLDER_ATTEMPT } from './situations-with-tokens';
import { type Expected, walk } from './walk';

/** Nothing but the end of the lease moves: a heartbeat leaves no history. */
const extended: Expected = {
  answer: { result: 'extended', state: 'in_progress', leaseMs: 300_000 },
  to: 'in_progress',
  history: [],
  also: async (_after, story: Story) => {
    const { rows } = await story.open.sql.query<{ due_at: Date }>(
      'SELECT due_at FROM action_ledger.open_actions WHERE id = $1',
      [story.id],
    );
    expect(rows[0]!.due_at.getTime()).toBeGreaterThan(Date.parse(story.current.leaseExpiresAt));
  },
};

walk('a heartbeat of the current attempt', {
  run: (story) => story.heartbeat(),
  impossible: NEVER_CLAIMED,
  table: {
    'in progress: lease live': extended,
    'in progress: a repeat, lease live': extended,
    'in progress: after a failed attempt': extended,
    'in progress: after one that did not happen': extended,
  },
  otherwise: { result: 'lost', leaseExpiresAt: null, leaseMs: null },
});

walk('a heartbeat of an older attempt', {
  run: (story) => story.heartbeat(story.attempts[0]),
  impossible: NO_OLDER_ATTEMPT,
  table: {},
  otherwise: { result: 'lost', leaseExpiresAt: null, leaseMs: null },
});
