import { type Guard } from '../guard';
import { CONNECTION_GUARDS } from './connections-and-batches';
import { DECISION_GUARDS } from './decisions';
import { NODE_GUARDS } from './nodes';
import { STATEMENT_GUARDS } from './one-statement';

export const GUARDS: readonly Guard[] = [...STATEMENT_GUARDS, ...CONNECTION_GUARDS, ...DECISION_GUARDS, ...NODE_GUARDS];
