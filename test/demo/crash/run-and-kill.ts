import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

import type { PaymentEvent } from '../payment-event';
import type { Scene } from '../scene';
import type { WorkerOrder } from './killed-execution';

const worker = path.join(__dirname, 'killed-execution.ts');

/** Runs one delivery in a process of its own and kills that process between the booking and what comes after it. */
export async function runAndKill(scene: Scene, event: PaymentEvent): Promise<void> {
  const child = fork(worker, { execArgv: ['--import', 'tsx'] });
  try {
    const { url, apiKey } = scene.ledger;
    child.send({
      settings: { ledger: { url, apiKey }, mailServer: { port: scene.mail.smtpPort, timeoutMs: 10_000 } },
      workflow: scene.workflow(),
      item: { body: event },
    } satisfies WorkerOrder);
    await booked(child);
  } finally {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
}

async function booked(child: ChildProcess): Promise<void> {
  const [said] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => [`It ended with code ${code}`]),
  ])) as [string];
  if (said !== 'booked') throw new Error(`The execution that was to be killed came to no booking. ${said}`);
}
