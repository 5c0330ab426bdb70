import { type Ledger } from '../../store/ledger';
import { type Metrics } from '../metrics';

/** What the routes work with. */
export interface RouteContext {
  ledger: Ledger;
  ledgerId: string;
  metrics: Metrics;
  /** The service's version. */
  version: string;
  /** Aborted when the service begins to end: nobody is kept waiting then. */
  ending: AbortSignal;
}
