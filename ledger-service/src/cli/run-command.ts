import { Problem } from '../domain/problem';
import { NotConnectedError, UnfitServerError } from '../store/database-errors';
import { EmbeddedPostgresError } from '../store/embedded/embedded-postgres-error';
import { CommandError } from './command-error';
import { masked } from './logger';

/** Exit codes: 0 done, 1 it could not be done (the message says why), 2 the command was not understood. */
const COULD_NOT = 1;

/** Runs a command; what an operator can act on is said in one paragraph, anything else with its stack. */
export function runCommand<A extends unknown[]>(
  command: (...given: A) => Promise<void>,
): (...given: A) => Promise<void> {
  return async (...given) => {
    try {
      await command(...given);
    } catch (error) {
      process.stderr.write(`${masked(inWords(error))}\n`);
      process.exitCode = COULD_NOT;
    }
  };
}

function inWords(error: unknown): string {
  if (error instanceof CommandError || error instanceof EmbeddedPostgresError) return error.message;
  if (error instanceof UnfitServerError) return `${error.message}. Nothing was started or changed.`;
  if (error instanceof Problem) {
    return [error.message, error.hint, (error.cause as Error | undefined)?.message].filter(Boolean).join(' ');
  }
  if (error instanceof NotConnectedError)
    return `${error.message}. Nothing was started or changed. Check DATABASE_URL.`;
  return (error as Error).stack ?? String(error);
}
