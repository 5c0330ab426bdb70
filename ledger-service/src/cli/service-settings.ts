import { CommandError } from './command-error';

const RETENTION_SECONDS = 600;

/** What the environment says beside the database. */
export function serviceSettings(): { redisUrl: string | undefined; retentionEveryMs: number } {
  const redisUrl = process.env['REDIS_URL'];
  return {
    redisUrl: redisUrl === '' ? undefined : redisUrl,
    retentionEveryMs: 1_000 * seconds('ACTION_LEDGER_RETENTION_SECONDS', RETENTION_SECONDS),
  };
}

function seconds(variable: string, otherwise: number): number {
  const text = process.env[variable];
  if (text === undefined || text === '') return otherwise;
  const number = Number(text);
  if (!/^\d{1,6}$/.test(text) || number < 1 || number > 86_400) {
    throw new CommandError(`${variable} must be a whole number from 1 to 86400. Nothing was started.`);
  }
  return number;
}
