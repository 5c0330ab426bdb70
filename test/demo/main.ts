import { mkdtempSync, chmodSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { buildMissing } from './build-missing';
import { Cleanup } from './cleanup';
import { endProcess } from './ledger-process';
import { paragraph, say, title } from './report';

const cleanup = new Cleanup();
let isStopped = false;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (isStopped) return;
    isStopped = true;
    say(`\n${signal}: ending the ledger and removing its folder …`);
    void cleanup.run().then(() => {
      // Ended by the signal itself, which npm and shells understand without a complaint.
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    });
  });
}

async function main(): Promise<boolean> {
  title('One payment, one seat, one confirmation');
  paragraph(
    'A workshop sells seats online. A payment event books one seat and sends one confirmation. Each case is played ' +
      'twice: by the workflow without guards, and with Claim Action before and Record Receipt after each of its two ' +
      'steps (workflows/workshop-booking.json). Counted is what really happened in the booking and the mail system.',
  );
  paragraph(
    "Real here: the ledger and its PostgreSQL, the four nodes, and n8n's engine that runs them. Fakes of the demo: the " +
      "booking system, the mail system, and small stand-ins for n8n's own HTTP Request and Send Email.",
  );
  say();
  await buildMissing(say, (child) => {
    cleanup.add(() => endProcess(child));
  });

  // The database server's user, who is another one when the demo is run by root, must get through to its folder.
  const folder = mkdtempSync(path.join(os.tmpdir(), 'action-ledger-demo-'));
  chmodSync(folder, 0o711);
  cleanup.add(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  // n8n keeps its settings here instead of in the user's home; read when n8n is loaded, which is why that comes now.
  process.env.N8N_USER_FOLDER = path.join(folder, 'n8n');
  say('Starting a ledger of its own, in a folder that is removed at the end …');
  const started = performance.now();
  const { playAll } = await import('./story.js');
  const { passed, failed } = await playAll(folder, cleanup);
  await cleanup.run();

  const seconds = Math.round((performance.now() - started) / 1_000);
  say();
  say(`The ledger has ended and its folder is removed. It took ${seconds} s.`);
  say(`Demo: ${passed} passed, ${failed} failed`);
  return failed === 0;
}

async function stopAfter(error: unknown): Promise<never> {
  // Ctrl-C also ends the compiler that loads the story, which fails before this process hears of the signal.
  await delay(50);
  // Told to stop, what was under way fails, and that is no news.
  if (!isStopped) console.error(error);
  await cleanup.run();
  return isStopped ? new Promise<never>(() => undefined) : process.exit(1);
}

process.on('uncaughtException', (error) => void stopAfter(error));
main().then((asPromised) => process.exit(asPromised ? 0 : 1), stopAfter);
