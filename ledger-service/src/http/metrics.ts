import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Counts what the service does. Each service has a registry of its own, so that two in one process do not mix. */
export class Metrics {
  readonly registry = new Registry();

  private readonly claims = new Counter({
    name: 'action_ledger_claims_total',
    help: 'Claims by what was decided; refused ones were wrong by themselves',
    labelNames: ['decision'],
    registers: [this.registry],
  });

  private readonly receipts = new Counter({
    name: 'action_ledger_receipts_total',
    help: 'Receipts by their result; refused ones were wrong by themselves',
    labelNames: ['result'],
    registers: [this.registry],
  });

  private readonly requests = new Histogram({
    name: 'action_ledger_http_request_duration_seconds',
    help: 'Time from the request to the end of its answer',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [this.registry],
  });

  private readonly batches = new Histogram({
    name: 'action_ledger_batch_items',
    help: 'Items settled together in one batch',
    labelNames: ['kind'],
    buckets: [1, 2, 5, 10, 25, 50, 100, 150, 200],
    registers: [this.registry],
  });

  private readonly swept = new Counter({
    name: 'action_ledger_leases_swept_total',
    help: 'Leases that ended without a receipt and were ended by the sweep',
    registers: [this.registry],
  });

  private readonly erased = new Counter({
    name: 'action_ledger_details_erased_total',
    help: 'Details that the retention erased, by rows; a row is what one step of a history had',
    registers: [this.registry],
  });

  claim(decision: string): void {
    this.claims.inc({ decision });
  }

  receipt(result: string): void {
    this.receipts.inc({ result });
  }

  request(labels: { route: string; method: string; status: number }, seconds: number): void {
    this.requests.observe(labels, seconds);
  }

  batch(kind: 'claims' | 'ends', size: number): void {
    this.batches.observe({ kind }, size);
  }

  sweep(ended: number): void {
    this.swept.inc(ended);
  }

  erase(rows: number): void {
    this.erased.inc(rows);
  }

  /** A value that is read at the scrape. */
  gauge(name: string, help: string, labelNames: string[], collect: (gauge: Gauge) => Promise<void> | void): void {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [this.registry],
      async collect() {
        await collect(this);
      },
    });
  }
}
