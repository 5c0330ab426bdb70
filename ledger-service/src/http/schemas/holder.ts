import { Type } from '@sinclair/typebox';

import { exactly, line, named, oneOf } from './field-types';

const id = (description: string, examples: string[]) => Type.Optional(line(200, { description, examples }));

const facts = {
  kind: line(50, { description: 'What kind of program holds the claim.', examples: ['n8n'] }),
  instanceId: id('The n8n instance. Execution IDs repeat across instances.', ['3f1c']),
  workflowId: id('The workflow.', ['kBx81']),
  executionId: id('Together with instance and workflow it says which execution holds the claim.', ['1042']),
  node: id('The node that claimed.', ['Claim Action']),
  mode: id("n8n's execution mode. `manual` marks the action as made by a test run.", ['webhook']),
};

/** Who holds a claim. */
export const Holder = named(
  'Holder',
  exactly(facts, { description: 'Who holds a claim, for people and for the end of an execution.' }),
);

export const ClaimHolder = named(
  'ClaimHolder',
  exactly(
    {
      ...facts,
      sendsIdempotencyKey: Type.Optional(
        Type.Boolean({
          description:
            'The holder declares that it sends the idempotency key to the destination. Without it an unknown action is never repeated.',
        }),
      ),
    },
    { description: 'Who asks for the claim.' },
  ),
);

export const EndedHolder = named(
  'EndedHolder',
  exactly(
    { ...facts, kind: Type.Optional(facts.kind), executionId: line(200, { examples: ['1042'] }) },
    { description: 'The execution that ended.' },
  ),
);

export const endedCause = () =>
  oneOf(['execution_crashed', 'ended_without_receipt'], {
    description: 'Why it holds its claims no more. Default `execution_crashed`.',
  });
