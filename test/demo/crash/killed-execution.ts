import type { WorkflowDefinition } from '@action-ledger/test-nodes';

import { type EngineSettings, workshopEngine } from '../workshop-engine';

/** What a worker process is told to do. */
export interface WorkerOrder {
  settings: Omit<EngineSettings, 'afterBooking'>;
  workflow: WorkflowDefinition;
  item: Record<string, unknown>;
}

// A worker of its own that runs one execution. The booking system has answered, nothing is recorded: there it says so
// and stays, until it is killed.
process.once('message', (order: WorkerOrder) => {
  work(order).catch((error: Error) => process.send?.(`It failed before: ${error.message}`));
});
// Without a parent nobody would kill it.
process.once('disconnect', () => process.exit(1));

async function work({ settings, workflow, item }: WorkerOrder): Promise<void> {
  const engine = await workshopEngine({
    ...settings,
    afterBooking: () => {
      process.send?.('booked');
      return new Promise(() => undefined);
    },
  });
  const run = await engine.run(workflow, { items: [item] });
  process.send?.(`It ended by itself: ${run.error?.message ?? 'no booking was asked for'}`);
}
