import { type Ledger } from '../../../ledger-service/src/store/ledger';
import { leaseSweep } from '../../../ledger-service/src/workers/lease-sweep';
import { RunningService } from '../http/running-service';

interface Line {
  level: 'info' | 'warn';
  message: string;
}

function recorder(): { lines: Line[]; log: Record<'info' | 'warn', (facts: object, message: string) => void> } {
  const lines: Line[] = [];
  const at = (level: Line['level']) => (_facts: object, message: string) => void lines.push({ level, message });
  return { lines, log: { info: at('info'), warn: at('warn') } };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test('leases that are over end within two sweeps, once, also when several services sweep', async () => {
  const service = await RunningService.start();
  try {
    const claims = Array.from({ length: 300 }, (_, index) => ({
      subject: `s-${index}`,
      operation: 'o',
      leaseSeconds: 1,
    }));
    await service.post('/v1/claims', { claims });
    const { log, lines } = recorder();
    let ended = 0;
    const sweeps = [1, 2, 3].map(() => leaseSweep(service.ledger, log, (count) => (ended += count)));
    for (const sweep of sweeps) sweep.start();
    await pause(3_800);
    await Promise.all(sweeps.map((sweep) => sweep.stop()));
    expect(ended).toBe(300);
    expect(lines).toEqual([]);
    const rows = await service.sql(`SELECT state, history_seq, count(*)::int FROM action_ledger.actions GROUP BY 1, 2`);
    expect(rows).toEqual([{ state: 5, history_seq: 2, count: 300 }]);
  } finally {
    await service.stop();
  }
}, 30_000);

test('a sweep that fails is logged once per outage, and goes on', async () => {
  const { log, lines } = recorder();
  let runs = 0;
  const results = [new Error('away'), new Error('away'), 0, 0, new Error('away again'), 0];
  const ledger: Pick<Ledger, 'sweep'> = {
    sweep: () => {
      const result = results[runs++] ?? 0;
      return typeof result === 'number' ? Promise.resolve(result) : Promise.reject(result);
    },
  };
  const sweep = leaseSweep(ledger, log, () => undefined);
  sweep.start();
  for (let tries = 0; runs < results.length && tries < 200; tries++) await pause(50);
  await sweep.stop();
  expect(lines.map(({ level }) => level)).toEqual(['warn', 'info', 'warn', 'info']);
}, 30_000);

test('it is stopped only when the run under way has ended', async () => {
  let underWay = false;
  const sweep = leaseSweep(
    {
      sweep: async () => {
        underWay = true;
        await pause(200);
        underWay = false;
        return 0;
      },
    },
    recorder().log,
    () => undefined,
  );
  sweep.start();
  await pause(50);
  expect(underWay).toBe(true);
  await sweep.stop();
  expect(underWay).toBe(false);
});
