import { type Reading } from '../reference/moments';

/** A call of the HTTP interface. */
export interface Request {
  /** Whose API key it carries. */
  workspace: string;
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  body?: object;
}

export interface Answered {
  status: number;
  body: unknown;
  /** What is known of the ledger's clock while it was answered. */
  clock: Reading;
}

/** The ledger that is compared with the model: over HTTP and PostgreSQL, or its rules alone in this process. */
export interface LedgerUnderTest {
  send(request: Request): Promise<Answered>;
  /** Ends the leases that are over; answers `{ swept }`, how many. */
  sweep(): Promise<Answered>;
  /** As when the lease has just run out. Answers the moment at which it did, in milliseconds. */
  letLeaseRunOut(workspace: string, actionId: string): Promise<number>;
  /** As that much later. Whether the ledger's clock moves or the times of these actions do is said by `agesActions`. */
  letPass(ms: number, actionIds: readonly string[]): Promise<void>;
  readonly agesActions: boolean;
  /** Due, review and settle times that are kept with an action, beyond what its view shows; null when it is at rest. */
  openItem(workspace: string, actionId: string): Promise<unknown>;
}
