import { type AnswerLoss, type Withholding } from './proxied-connection';

/** ReadyForQuery with the status *idle*: 'Z', length 5, 'I' (PostgreSQL manual 55.7). Nothing comes before the commit is done. */
const READY_AND_IDLE = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

const isWrite = (request: Buffer): boolean => request.includes('al_write_');

/** Answers of PostgreSQL to the statements by which the ledger decides: what was lost is committed. */
export const LEDGER_WRITES: Pick<AnswerLoss, 'concerns' | 'answered'> = {
  concerns: isWrite,
  answered: (tail) => tail.subarray(-READY_AND_IDLE.length).equals(READY_AND_IDLE),
};

/** The ledger's statements without the Sync that ends them: PostgreSQL carries them out and waits, with their locks held. */
export const LEDGER_WRITES_WITHOUT_SYNC: Pick<Withholding, 'concerns' | 'ending'> = {
  concerns: isWrite,
  ending: Buffer.from([0x53, 0, 0, 0, 4]),
};

/** Answers of the ledger to calls of one route: its first byte is sent when all is decided. */
export const answersOf = (route: string): Pick<AnswerLoss, 'concerns' | 'answered'> => ({
  concerns: (request) => request.includes(`POST ${route} `),
  answered: () => true,
});
