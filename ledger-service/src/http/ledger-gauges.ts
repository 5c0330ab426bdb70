import { type Ledger } from '../store/ledger';
import { type Metrics } from './metrics';

/** Scrapers come in pairs and people look in between: the database counts at most this often. */
const MEMORY_MS = 5_000;

/** Gauges of what the database holds and of the service's way to it. */
export function addLedgerGauges(metrics: Metrics, ledger: Ledger): void {
  const statistics = remembered(() => ledger.reading.statistics());
  const overdue = remembered(() => ledger.retention.overdueSeconds());

  metrics.gauge('action_ledger_up', '1 when the database answered the last count', [], async (gauge) => {
    gauge.set((await statistics()) === null ? 0 : 1);
  });
  metrics.gauge('action_ledger_open_actions', 'Actions that are not confirmed, by state', ['state'], async (gauge) => {
    const found = await statistics();
    gauge.reset();
    for (const [state, count] of Object.entries(found?.open ?? {})) gauge.set({ state }, count);
  });
  metrics.gauge(
    'action_ledger_overdue_leases',
    'Leases that are over and not yet swept; alert when it stays above 0',
    [],
    async (gauge) => {
      const found = await statistics();
      if (found === null) gauge.reset();
      else gauge.set(found.overdueLeases);
    },
  );
  metrics.gauge(
    'action_ledger_oldest_unknown_seconds',
    'Age of the oldest unknown action; 0 when there is none',
    [],
    async (gauge) => {
      const found = await statistics();
      if (found === null) gauge.reset();
      else
        gauge.set(found.oldestUnknownSince === null ? 0 : Math.max(0, (Date.now() - found.oldestUnknownSince) / 1000));
    },
  );
  metrics.gauge(
    'action_ledger_overdue_details_seconds',
    'For how long the oldest details that the retention may erase have been due; 0 when there are none',
    [],
    async (gauge) => {
      const found = await overdue();
      if (found === null) gauge.reset();
      else gauge.set(found);
    },
  );
  metrics.gauge('action_ledger_database_connections', 'Connections of the pool', ['kind'], async (gauge) => {
    // After the count: the connection that it takes is not what is to be shown.
    await statistics();
    const { total, idle, waiting } = ledger.database.connections;
    gauge.set({ kind: 'busy' }, total - idle);
    gauge.set({ kind: 'idle' }, idle);
    gauge.set({ kind: 'waited_for' }, waiting);
  });
  metrics.gauge(
    'action_ledger_notifications_up',
    '1 while notifications of PostgreSQL arrive and wake waiting claims',
    [],
    (gauge) => {
      gauge.set(ledger.wakeUps.listening ? 1 : 0);
    },
  );
  if (ledger.wakeUps.redis !== null) {
    metrics.gauge('action_ledger_redis_up', '1 while Redis wakes waiting claims', [], (gauge) => {
      gauge.set(ledger.wakeUps.redis === true ? 1 : 0);
    });
  }
  metrics.gauge('action_ledger_waiting_items', 'Items that wait for a batch', ['kind'], (gauge) => {
    gauge.set({ kind: 'claims' }, ledger.waiting.claims);
    gauge.set({ kind: 'ends' }, ledger.waiting.ends);
  });
}

/** A failed count is no reason to fail the scrape: the counters of the process are worth having then most of all. */
function remembered<T>(read: () => Promise<T>): () => Promise<T | null> {
  let last: { at: number; value: Promise<T | null> } | null = null;
  return () => {
    const now = performance.now();
    if (last === null || now - last.at > MEMORY_MS) last = { at: now, value: read().catch(() => null) };
    return last.value;
  };
}
