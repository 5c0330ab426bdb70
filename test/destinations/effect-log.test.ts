import { EffectLog } from './index';

it('finds by reference, label, key and ID what happened, and forgets all of it when it is cleared', () => {
  const log = new EffectLog('RSV');
  log.happened('workshop-842', { seats: 1 }, 'key-1', 'shop-1:workshop-842:reserve-seat');
  log.happened('workshop-842', { seats: 2 });
  log.happened('__proto__', {});
  expect(log.of('workshop-842').map(({ content }) => content.seats)).toEqual([1, 2]);
  expect(log.withLabel('shop-1:workshop-842:reserve-seat').map(({ id }) => id)).toEqual(['RSV-1']);
  expect(log.withIdempotencyKey('key-1')?.id).toBe('RSV-1');
  expect(log.withId('RSV-2')?.content).toEqual({ seats: 2 });
  expect(log.newestOfAnother('__proto__')?.id).toBe('RSV-2');
  expect(Object.entries(log.counts())).toEqual([
    ['workshop-842', 2],
    ['__proto__', 1],
  ]);
  log.clear();
  expect(log.counts()).toEqual({});
  expect([log.withIdempotencyKey('key-1'), log.withId('RSV-1')]).toEqual([undefined, undefined]);
  expect([log.of('workshop-842'), log.withLabel('shop-1:workshop-842:reserve-seat'), log.all()]).toEqual([[], [], []]);
});

it('gives lists that do not grow under their reader', () => {
  const log = new EffectLog('RSV');
  log.happened('workshop-842', {});
  const before = log.of('workshop-842');
  log.happened('workshop-842', {});
  expect(before).toHaveLength(1);
});

it('searches among hundreds of thousands without going through them', () => {
  const log = new EffectLog('RSV');
  const many = 200_000;
  for (let number = 0; number < many; number += 1) log.happened(`order-${number}`, {}, `key-${number}`);
  const started = performance.now();
  let found = 0;
  for (let number = 0; number < many; number += 1) {
    found += log.count(`order-${number}`);
    found += log.of(`order-${number}`).length;
    found += log.withIdempotencyKey(`key-${number}`) === undefined ? 0 : 1;
    found += log.withId(`RSV-${number + 1}`) === undefined ? 0 : 1;
  }
  expect(found).toBe(4 * many);
  // Going through them takes minutes; by maps it is well below a second, and a busy machine has ten times that.
  expect(performance.now() - started).toBeLessThan(10_000);
});
