import { readFileSync } from 'node:fs';
import path from 'node:path';

import { type FastifyBaseLogger } from 'fastify';

import { Ledger } from '../store/ledger';
import { buildApp } from './app';

const nothing = (): void => undefined;
const silent = { level: 'silent', child: () => silent } as unknown as FastifyBaseLogger;
Object.assign(silent, {
  fatal: nothing,
  error: nothing,
  warn: nothing,
  info: nothing,
  debug: nothing,
  trace: nothing,
  silent: nothing,
});

/** The API document without a ledger behind it: nothing is asked of the database that is named here. */
export async function apiDocument(): Promise<object> {
  const { version } = JSON.parse(readFileSync(path.join(__dirname, '..', '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  const ledger = new Ledger({ databaseUrl: 'postgres://127.0.0.1/none' });
  const app = await buildApp({ ledger, ledgerId: '00000000-0000-0000-0000-000000000000', version, log: silent });
  try {
    await app.ready();
    return app.swagger();
  } finally {
    await app.close();
    await ledger.stop();
  }
}
