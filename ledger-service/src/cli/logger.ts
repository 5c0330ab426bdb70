import { pino, type Logger } from 'pino';

/** JSON lines on standard output. Secrets that an error or a request may carry are masked wherever they stand. */
export function createLogger(level = process.env['LOG_LEVEL'] ?? 'info'): Logger {
  return pino({
    level: level in pino.levels.values || level === 'silent' ? level : 'info',
    base: { service: 'action-ledger' },
    formatters: { level: (label) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: SECRETS, censor: '(masked)' },
    serializers: { err: withoutSecrets },
  });
}

const NAMES = ['authorization', 'claimToken', 'requestToken', 'password', 'connectionString', 'secret', 'apiKey'];
const SECRETS = NAMES.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

// Claim tokens, API keys and the password of a connection string, also inside a message.
const IN_TEXT = /\bct_[\w-]{8,}|\bal_[\w-]{8,}|(?<=:\/\/[^:@/\s]*:)[^@/\s]+(?=@)/g;

export const masked = (text: string): string => text.replace(IN_TEXT, '(masked)');

/** What tells people what went wrong; a driver's error also carries parameters and rows, which are the callers' data. */
function withoutSecrets(thrown: unknown): object {
  if (!(thrown instanceof Error)) return { message: masked(String(thrown)) };
  const { code } = thrown as { code?: unknown };
  return {
    type: thrown.name,
    message: masked(thrown.message),
    ...(typeof code === 'string' && { code }),
    ...(thrown.stack !== undefined && { stack: masked(thrown.stack) }),
    ...(thrown.cause !== undefined && { cause: withoutSecrets(thrown.cause) }),
  };
}
