import { type AnswerLoss } from './proxied-connection';

/** ReadyForQuery with the status *idle*: 'Z', length 5, 'I' (PostgreSQL manual 55.7). Nothing comes before the commit is done. */
const READY_AND_IDLE = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** Answers of PostgreSQL to the statements by which the ledger decides: what was lost is committed. */
export const LEDGER_WRITES: Pick<AnswerLoss, 'concerns' | 'answered'> = {
  concerns: (request) => request.includes('al_write_'),
  answered: (tail) => tail.subarray(-READY_AND_IDLE.length).equals(READY_AND_IDLE),
};

/** Answers of the ledger to calls of one route: its first byte is sent when all is decided. */
export const answersOf = (route: string): Pick<AnswerLoss, 'concerns' | 'answered'> => ({
  concerns: (request) => request.includes(`POST ${route} `),
  answered: () => true,
});
