import { type StateName } from '../../store/stored-action';
import { sound } from '../story';
import { NEVER_CLAIMED, NO_OLDER_ATTEMPT } from './situations-with-tokens';
import { type Expected, walk } from './walk';

const released = (from: StateName, to: StateName, attempt = 1): Expected => ({
  answer: { result: 'released', state: to, replayed: false },
  to,
  history: [{ kind: 'released', from, to, attempt }],
});

const TABLE: Record<string, Expected> = {
  // Sent again because the first answer was lost.
  'pending: released': { answer: { result: 'released', state: 'pending', replayed: true }, repeated: true },
  'pending: released twice': { answer: { result: 'released', state: 'pending', replayed: true }, repeated: true },
  'in progress: lease live': released('in_progress', 'pending'),
  'in progress: lease over': released('in_progress', 'pending'),
  'in progress: a repeat, lease live': released('in_progress', 'unknown', 2),
  'in progress: a repeat, lease over': released('in_progress', 'unknown', 2),
  'in progress: after a failed attempt': released('in_progress', 'failed', 2),
  'in progress: after one that did not happen': released('in_progress', 'failed', 2),
  'in progress: effect seen, lease live': released('in_progress', 'confirmed', 2),
  'in progress: effect seen, lease over': released('in_progress', 'confirmed', 2),
  'unknown: lease over': released('unknown', 'pending'),
  'unknown: by receipt': released('unknown', 'pending'),
  'unknown: by a crash': released('unknown', 'pending'),
  'unknown: safe to repeat': released('unknown', 'pending'),
  // The first attempt may still have had its effect.
  'unknown: a repeat crashed too': released('unknown', 'unknown', 2),
  'unknown: after a failed attempt': released('unknown', 'failed', 2),
  'unknown: still unknown': released('unknown', 'pending'),
  'unknown: it was failed first': released('unknown', 'pending'),
  // *Overridden* is not among them: what was confirmed once is not freed by its holder saying that it was never sent.
};

walk('a release of the current attempt', {
  run: (story) => story.release(),
  impossible: NEVER_CLAIMED,
  table: TABLE,
  otherwise: { result: 'not_applicable' },
});

walk('a release by the call whose answer was lost', {
  run: async (story) => {
    const { requestToken } = story.current;
    const { ledger, workspaceNo } = story.open;
    const [answer] = await ledger.releases(workspaceNo, [{ ...story.key, requestToken, position: 0 }]);
    return sound(answer);
  },
  impossible: NEVER_CLAIMED,
  table: TABLE,
  otherwise: { result: 'not_applicable' },
});

walk('a release by another call', {
  run: async (story) => {
    const { ledger, workspaceNo } = story.open;
    const [answer] = await ledger.releases(workspaceNo, [{ ...story.key, requestToken: 'another', position: 0 }]);
    return sound(answer);
  },
  table: { none: { answer: { problem: 'action_unknown' } } },
  otherwise: { result: 'not_applicable' },
});

walk('a release of an older attempt', {
  run: (story) => story.release(story.attempts[0]),
  impossible: NO_OLDER_ATTEMPT,
  table: {},
  otherwise: { result: 'not_applicable' },
});
