import { existsSync, readFileSync, renameSync } from 'node:fs';
import process from 'node:process';

import { onPausePoint, type PausePoint } from '../../../ledger-service/src/store/pause-point';

/** What a service is told: at which pass of which point it sends itself which signal. */
export interface PauseOrder {
  point: PausePoint;
  /** 1 is the next pass. */
  pass: number;
  signal: 'SIGKILL' | 'SIGSTOP';
}

/** Where the order lies; carried out, it is found under this name with `.met` behind it. */
export const ORDER_FILE = 'PAUSE_ORDER_FILE';

const file = process.env[ORDER_FILE];
let order: PauseOrder | null = null;

function read(): void {
  if (file !== undefined && existsSync(file)) order = JSON.parse(readFileSync(file, 'utf8')) as PauseOrder;
}

// One that is there from the start is for what happens while the service starts.
read();
process.on('SIGUSR2', read);
onPausePoint((point) => {
  if (file === undefined || order === null || point !== order.point || --order.pass > 0) return;
  const { signal } = order;
  order = null;
  renameSync(file, `${file}.met`);
  process.kill(process.pid, signal);
});
