import { type RegisterAnswer } from '../../../../ledger-service/src/domain/answers';
import { sound, type Story } from '../story';
import { type Expected, walk } from './walk';

const register = async (story: Story, details?: unknown): Promise<RegisterAnswer> => {
  const answers = await story.open.ledger.register(story.open.workspaceNo, [{ ...story.key, details }]);
  const answer = sound(answers[0]);
  story.id = answer.actionId;
  return answer;
};

const registered: Expected = {
  answer: { decision: 'registered', attempt: 0, state: 'pending' },
  to: 'pending',
  history: [{ kind: 'registered', from: 'none', to: 'pending', attempt: 0 }],
};

walk('register', { run: register, table: { none: registered }, otherwise: { decision: 'exists' } });

walk('register with the same details, written in another order', {
  run: (story) => register(story, { currency: 'thb', amount: 4900 }),
  table: { none: registered },
  otherwise: { decision: 'exists' },
});

walk('register with other details', {
  run: (story) => register(story, { amount: 5000 }),
  table: { none: registered },
  otherwise: { decision: 'mismatch' },
});
