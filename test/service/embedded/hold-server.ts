// A process of its own that holds an embedded PostgreSQL, for tests that end such a process in one way or another.
import { startEmbeddedPostgres } from '../../../ledger-service/src/store/embedded/start-embedded-postgres';

const [, , dataDir = '', ending] = process.argv;

startEmbeddedPostgres({ dataDir, init: true, log: () => undefined }).then(
  ({ url }) => {
    process.stdout.write(`${JSON.stringify({ url })}\n`);
    if (ending === 'exit') process.exit(0);
    if (ending === 'throw') throw new Error('ended by an error that nobody caught');
  },
  (error: Error & { code?: string }) => {
    process.stdout.write(`${JSON.stringify({ code: error.code, message: error.message })}\n`);
    process.exit(1);
  },
);
