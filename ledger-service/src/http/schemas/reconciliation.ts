import { Type } from '@sinclair/typebox';

import { ActionView } from './actions';
import {
  attempt,
  exactly,
  freeObject,
  historySeq,
  line,
  moment,
  oneOf,
  operationName,
  prose,
  reference,
  references,
  the,
  whole,
} from './field-types';

const fence = {
  attempt: attempt({ description: 'As it was when the look-up began: the fence.' }),
  historySeq: historySeq({ description: 'As it was when the look-up began: the fence.' }),
};

const person = (description: string) => line(200, { description, examples: ['jo@example.com'] });

export const LeaseBody = exactly({
  limit: Type.Optional(whole(1, 100, { description: 'Default 20.' })),
  operation: Type.Optional(operationName()),
  leaseSeconds: Type.Optional(
    whole(1, 3_600, { description: 'For how long nobody else is given the same actions, in seconds. Default 300.' }),
  ),
});

export const LeaseAnswer = exactly({ actions: Type.Array(the(ActionView)) });

export const ResolutionBody = exactly({
  outcome: oneOf(['happened', 'not_happened', 'still_unknown']),
  ...fence,
  reference: Type.Optional(reference()),
  references: Type.Optional(references()),
  evidence: Type.Optional(freeObject({ description: 'What was found. At most 64 KiB and 32 levels.' })),
  reason: Type.Optional(
    prose(2_000, { description: 'What was looked up, where, and what it showed. Needed for `not_happened`.' }),
  ),
  owner: Type.Optional(person('Who looks after it from now on.')),
  nextCheckAt: Type.Optional(moment({ description: 'With `still_unknown`: when to look again.' })),
  by: Type.Optional(person("Who found out. Default: the API key's name.")),
  foundBy: Type.Optional(
    oneOf(['person', 'lookup'], { description: 'A look-up that finds nothing counts only after the settle time.' }),
  ),
});

export const ResolutionAnswer = exactly({
  result: Type.Literal('resolved'),
  warnings: Type.Array(Type.String(), { description: 'What a person should know and is not stopped by.' }),
  action: the(ActionView),
});

export const OverrideBody = exactly({
  ...fence,
  by: person('Who asks for it.'),
  secondPerson: person('Who agrees; somebody else.'),
  reason: prose(2_000, { description: 'Why the confirmation does not hold.' }),
});

export const OverrideAnswer = exactly({ result: Type.Literal('overridden'), action: the(ActionView) });
