import { type Fault } from '../fault';
import { postgresKilled } from './postgres-killed';
import { serviceKilled } from './service-killed';
import { killedAtPausePoint } from './killed-at-pause-point';
import { connectionsCut } from './connections-cut';
import { connectionsStalled } from './connections-stalled';
import { halfOpen } from './half-open';
import { answerLostAfterCommit } from './answer-lost-after-commit';
import { clientAnswerLost } from './client-answer-lost';
import { clientHalfOpen } from './client-half-open';
import { clientClock } from './client-clock';
import { poolExhausted } from './pool-exhausted';
import { diskFull } from './disk-full';
import { synchronousStandbyPromoted } from './synchronous-standby-promoted';
import { asynchronousStandbyPromoted } from './asynchronous-standby-promoted';
import { workerKilled } from './worker-killed';
import { workerStopped } from './worker-stopped';
import { zombieWithKey } from './zombie-sends-after-reconciliation-with-key';
import { zombieWithoutKey } from './zombie-sends-after-reconciliation-without-key';
import { pgbouncer } from './pgbouncer';
import { patroniLeaderKilled } from './patroni-leader-killed';
import { oldPrimaryReturns } from './old-primary-returns';
import { redisFlushed } from './redis-flushed';
import { redisKilled } from './redis-killed';
import { redisLies } from './redis-lies';
import { twoSweepersAndRetention } from './two-sweepers-and-retention';

/** Every fault there is, in the order of the report. */
export const FAULTS: readonly Fault[] = [
  workerKilled,
  workerStopped,
  zombieWithKey,
  zombieWithoutKey,
  serviceKilled,
  killedAtPausePoint,
  postgresKilled,
  connectionsCut,
  connectionsStalled,
  halfOpen,
  answerLostAfterCommit,
  clientAnswerLost,
  clientHalfOpen,
  clientClock,
  poolExhausted,
  diskFull,
  synchronousStandbyPromoted,
  asynchronousStandbyPromoted,
  pgbouncer,
  patroniLeaderKilled,
  oldPrimaryReturns,
  redisKilled,
  redisFlushed,
  redisLies,
  twoSweepersAndRetention,
];
