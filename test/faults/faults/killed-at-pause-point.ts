import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { PAUSE_POINTS, type PausePoint } from '../../../ledger-service/src/store/pause-point';
import { type Fault } from '../fault';
import { type PauseOrder } from '../servers/pause-when-told';
import { PostgresServer } from '../servers/postgres-server';
import { Provocations } from '../servers/provocations';
import { StoppableService } from '../servers/stoppable-service';

/** Passed only by a service that starts: it migrates in a transaction. */
const AT_THE_START: ReadonlySet<PausePoint> = new Set<PausePoint>([
  'transaction begun',
  'transaction ready to commit',
  'transaction committed',
]);

/**
 * Each named point between deciding and answering once as the place where the service dies, and once where it is stopped
 * for a while and goes on, when the others may have moved everything that it knew. Of two services one is broken at a
 * time; while it starts again the other one answers.
 */
export const killedAtPausePoint: Fault = {
  name: 'killed-at-pause-point',
  title: `ledger service: SIGKILL and SIGSTOP at each of ${PAUSE_POINTS.length} pause points`,
  injections: PAUSE_POINTS.length * 2,
  prepare: async ({ folder, atEnd }) => {
    const postgres = await PostgresServer.start(path.join(folder, 'data'));
    atEnd(() => postgres.stop());
    const services: StoppableService[] = [];
    for (const name of ['one', 'another']) {
      const service = await StoppableService.start(name, postgres.url, folder);
      atEnd(() => service.stop());
      services.push(service);
    }
    const met = new Map<string, number>();
    return {
      urls: services.map(({ url }) => url),
      databaseUrl: postgres.url,
      load: { actions: 150 },
      inject: async ({ number, random }) => {
        const point = PAUSE_POINTS[(number - 1) % PAUSE_POINTS.length]!;
        const round = Math.floor((number - 1) / PAUSE_POINTS.length);
        const signal = round % 2 === 0 || AT_THE_START.has(point) ? 'SIGKILL' : 'SIGSTOP';
        const order: PauseOrder = { point, pass: AT_THE_START.has(point) ? 1 : random.between(1, 3), signal };
        const service = services[number % services.length]!;
        await service.whenReady();
        if (AT_THE_START.has(point)) {
          await service.dieWhileStarting(order);
        } else {
          service.tell(order);
          await service.met(order, new Provocations(service.url, postgres.url).for(point));
          if (signal === 'SIGSTOP') {
            await sleep(random.between(100, 1_000));
            service.goOn();
          }
        }
        met.set(signal, (met.get(signal) ?? 0) + 1);
        if (signal === 'SIGKILL') await service.restart();
      },
      notes: () => [[...met].map(([signal, times]) => `${signal} ${times} times`).join(', ')],
    };
  },
};
