import { setTimeout as sleep } from 'node:timers/promises';

import { Changes } from '../../../ledger-service/src/store/changes';
import { until } from '../../e2e/stack/until';
import { Story } from '../domain/story';
import { openLedger, type OpenLedger } from './open-ledger';

// A pooler in transaction mode takes a LISTEN and answers that it listens, and no notification ever arrives.

let open: OpenLedger;
beforeAll(async () => {
  open = await openLedger();
});
afterAll(() => open.close());

const changesOn = (notify: (channel: string, payload: string) => Promise<unknown>) => {
  const said: string[] = [];
  const changes = new Changes({
    directUrl: open.url,
    notify,
    ledgerId: () => open.ledger.id(),
    log: {
      warn: (_facts, message) => said.push(`warn: ${message}`),
      info: (_facts, message) => said.push(`info: ${message}`),
    },
  });
  return { changes, said };
};

test('while notifications do not arrive, those who wait ask by the clock, and it is said once', async () => {
  const { changes, said } = changesOn(() => Promise.resolve());
  changes.start();
  try {
    await until(() => said.length > 0, { what: 'the ledger to notice', everyMs: 20 });
    expect(changes.listening).toBe(false);
    expect(said).toEqual([expect.stringMatching(/^warn: .*DATABASE_DIRECT_URL/)]);
    const watch = changes.watch(['00000000-0000-4000-8000-000000000000']);
    const began = performance.now();
    await watch.next(60_000);
    watch.end();
    expect(performance.now() - began).toBeLessThan(10_000);
  } finally {
    await changes.stop();
  }
});

test('a notification that cannot be sent proves nothing against the connection: it is tried again soon', async () => {
  let fails = 2;
  const { changes, said } = changesOn((channel, payload) =>
    fails-- > 0
      ? Promise.reject(new Error('The pool is exhausted'))
      : open.sql.query('SELECT pg_notify($1, $2)', [channel, payload]),
  );
  changes.start();
  try {
    await until(() => changes.listening, { what: 'the ledger to listen', everyMs: 20 });
    expect(said).toEqual([]);
  } finally {
    await changes.stop();
  }
});

test('notifications are relied on only from their first arrival, and then nobody asks by the clock', async () => {
  const { changes } = changesOn((channel, payload) => open.sql.query('SELECT pg_notify($1, $2)', [channel, payload]));
  changes.start();
  try {
    await until(() => changes.listening, { what: 'the ledger to listen', everyMs: 20 });
    const story = new Story(open);
    await story.claim();
    const watch = changes.watch([story.id]);
    let woken = 0;
    const waiting = watch.next(60_000).then(() => woken++);
    await sleep(1_000);
    expect(woken).toBe(0);
    await story.receipt('confirmed');
    await waiting;
    watch.end();
  } finally {
    await changes.stop();
  }
});
