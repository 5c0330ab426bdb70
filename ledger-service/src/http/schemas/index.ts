import { type TSchema } from '@sinclair/typebox';

import * as actions from './actions';
import * as claims from './claims';
import * as held from './held-claims';
import * as holder from './holder';
import * as operations from './operations';
import * as problem from './problem';

/** Every schema that has a name of its own. Those that others point to come first. */
export const NAMED_SCHEMAS: readonly TSchema[] = [problem, holder, claims, held, actions, operations]
  .flatMap((file) => Object.values(file) as unknown[])
  .filter((value): value is TSchema => typeof (value as { $id?: unknown } | null)?.$id === 'string');
