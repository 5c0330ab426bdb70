import { type StateName } from '../../store/stored-action';
import { type Story } from '../story';
import { NEVER_CLAIMED, NO_OLDER_ATTEMPT } from './situations-with-tokens';
import { type Expected, walk } from './walk';

const end = async (story: Story, executionId: string): Promise<{ abandoned: unknown }> => ({
  abandoned: await story.open.ledger.endExecution(story.open.workspaceNo, { holder: story.holder(executionId) }),
});

const abandoned = (to: StateName, attempt: number): Expected => ({
  answer: { abandoned: [expect.objectContaining({ state: to })] },
  to,
  history: [{ kind: 'abandoned', from: 'in_progress', to, attempt }],
  also: async (_after, story) => {
    const { decision, unknown } = await story.ask();
    if (to === 'unknown') expect(unknown).toMatchObject({ cause: 'execution_crashed' });
    else expect(decision).toBe('already_done');
  },
});

walk('the end of the execution that holds the current attempt', {
  run: (story) => end(story, story.current.executionId),
  impossible: NEVER_CLAIMED,
  table: {
    'in progress: lease live': abandoned('unknown', 1),
    'in progress: lease over': abandoned('unknown', 1),
    'in progress: a repeat, lease live': abandoned('unknown', 2),
    'in progress: a repeat, lease over': abandoned('unknown', 2),
    'in progress: after a failed attempt': abandoned('unknown', 2),
    'in progress: after one that did not happen': abandoned('unknown', 2),
    'in progress: effect seen, lease live': abandoned('confirmed', 2),
    'in progress: effect seen, lease over': abandoned('confirmed', 2),
  },
  otherwise: { abandoned: [] },
});

walk('the end of the execution that held an older attempt', {
  run: (story) => end(story, story.attempts[0]!.executionId),
  impossible: NO_OLDER_ATTEMPT,
  table: {},
  otherwise: { abandoned: [] },
});

walk('the end of an execution that holds nothing', {
  run: (story) => end(story, 'another-execution'),
  table: {},
  otherwise: { abandoned: [] },
});

walk('the end of an execution of the same number on another instance', {
  run: async (story) => ({
    abandoned: await story.open.ledger.endExecution(story.open.workspaceNo, {
      holder: { ...story.holder(story.current.executionId), instanceId: 'n8n-2' },
    }),
  }),
  impossible: NEVER_CLAIMED,
  table: {},
  otherwise: { abandoned: [] },
});
