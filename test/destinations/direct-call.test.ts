import { BookingSystem, ConnectionReset, MailSystem, mailReference, PaymentSystem } from './index';

it('a direct call that is never answered ends with its caller’s patience or with the system', async () => {
  const booking = await BookingSystem.start();
  booking.behave({ name: 'never' });
  const patience = new AbortController();
  const given = booking.book('workshop-842', { signal: patience.signal });
  const waiting = booking.book('workshop-843');
  patience.abort(new Error('the lease is over'));
  await expect(given).rejects.toThrow('the lease is over');
  const ended = expect(waiting).rejects.toThrow(ConnectionReset);
  await booking.stop();
  await ended;
  expect(booking.counts()).toEqual({ 'workshop-842': 1, 'workshop-843': 1 });
});

it('who gave up before asking has not asked', async () => {
  const booking = await BookingSystem.start();
  await expect(booking.book('workshop-842', { signal: AbortSignal.abort() })).rejects.toThrow();
  expect(booking.effects.requestCount('workshop-842')).toBe(0);
  await booking.stop();
});

it('leaves no listeners on a signal that serves many calls', async () => {
  const booking = await BookingSystem.start();
  const { signal } = new AbortController();
  const added = jest.spyOn(signal, 'addEventListener');
  const removed = jest.spyOn(signal, 'removeEventListener');
  for (let number = 0; number < 20; number += 1) await booking.book(`workshop-${number}`, { signal });
  expect(added).toHaveBeenCalledTimes(20);
  expect(removed).toHaveBeenCalledTimes(20);
  await booking.stop();
});

it('each system has its direct call, with the key honoured where the system honours keys', async () => {
  const [booking, payment, mail] = await Promise.all([
    BookingSystem.start({ idempotencyKeys: true }),
    PaymentSystem.start(),
    MailSystem.start(),
  ]);
  const idempotencyKey = 'key-1';
  for (let time = 0; time < 2; time += 1) {
    await booking.book('workshop-842', { idempotencyKey });
    await payment.pay({ orderId: 'workshop-842', amount: 4900, currency: 'thb' }, { idempotencyKey });
    await mail.send({ to: 'mali@example.com', orderId: 'workshop-842' }, { idempotencyKey });
  }
  expect(booking.counts()).toEqual({ 'workshop-842': 1 });
  expect(payment.counts()).toEqual({ 'workshop-842': 1 });
  expect(mail.counts()).toEqual({ [mailReference('mali@example.com', 'workshop-842')]: 2 });
  await Promise.all([booking.stop(), payment.stop(), mail.stop()]);
});
