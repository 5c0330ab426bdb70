import { type FastifyBaseLogger } from 'fastify';

import { type Problem } from '../domain/problem';

const EVERY_MS = 5_000;

/**
 * Logs what was our fault. While the database is away every call fails for the same reason: that is said every few
 * seconds, with the number of calls, and not once for each of thousands.
 */
export class FaultLog {
  private lastAt = -Infinity;
  private unsaid = 0;

  constructor(private readonly log: FastifyBaseLogger) {}

  add(problem: Problem, route: string | undefined): void {
    const facts = { err: problem.cause ?? problem, route, code: problem.code };
    if (problem.code !== 'ledger_unavailable') {
      this.log.error(facts, problem.message);
      return;
    }
    const now = performance.now();
    if (now - this.lastAt < EVERY_MS) {
      this.unsaid++;
      return;
    }
    this.log.error({ ...facts, unsaid: this.unsaid }, problem.message);
    this.lastAt = now;
    this.unsaid = 0;
  }
}
