import { createTransport, type SendMailOptions } from 'nodemailer';

import { MailSystem, mailReference } from './index';

let mail: MailSystem;

beforeEach(async () => {
  mail = await MailSystem.start();
});

afterEach(async () => {
  await mail.stop();
});

const confirmation = {
  from: 'workshop@example.com',
  to: 'mali@example.com',
  subject: 'Your seat is booked – ขอบคุณ (order workshop-842)',
  text: 'See you there.',
};
const counted = mailReference('mali@example.com', 'workshop-842');

/** Long enough that a busy machine has delivered the mail before the client gives up: only the answer may be missing. */
const PATIENCE_MS = 3_000;

async function send(options: SendMailOptions = confirmation) {
  const transport = createTransport({
    host: '127.0.0.1',
    port: mail.smtpPort,
    secure: false,
    socketTimeout: PATIENCE_MS,
  });
  try {
    return await transport.sendMail(options);
  } finally {
    transport.close();
  }
}

async function post(body: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${mail.url}/mails`, { method: 'POST', headers, body: JSON.stringify(body) });
  return response.status;
}

it('counts a mail by recipient and order, whatever the greeting says', async () => {
  const info = await send();
  expect(info.response).toContain('MSG-1');
  await send({ ...confirmation, text: 'Dear Mali, we look forward to seeing you.' });
  await send({ ...confirmation, to: 'nok@example.com' });
  expect(mail.counts()).toEqual({ [counted]: 2, [mailReference('nok@example.com', 'workshop-842')]: 1 });
  expect(mail.mails('mali@example.com', 'workshop-842')[0]?.content).toMatchObject({
    subject: confirmation.subject,
    text: expect.stringContaining('See you there.') as string,
  });
});

describe('an accepted mail whose sender cannot know it', () => {
  afterEach(() => {
    expect(mail.counts()).toEqual({ [counted]: 1 });
  });

  it.each([
    ['is answered after the client gave up', { name: 'late', delayMs: 2 * PATIENCE_MS } as const, /timeout/i],
    ['is never answered', { name: 'never' } as const, /timeout/i],
    ['is answered with 451', { name: 'error-after' } as const, /451/],
    ['ends in a connection reset', { name: 'reset-after' } as const, /ECONNRESET|closed|hang up/i],
  ])('%s', async (_, behaviour, message) => {
    mail.behave({ ...behaviour, reference: counted });
    await expect(send()).rejects.toThrow(message);
  });
});

describe('a mail that is not accepted', () => {
  afterEach(() => {
    expect(mail.counts()).toEqual({});
    expect(mail.effects.requestCount(counted)).toBe(1);
  });

  it.each([
    ['is refused with 550', { name: 'refuse' } as const, /550/],
    ['is put off with 451', { name: 'error-before' } as const, /451/],
    ['ends in a connection reset', { name: 'reset-before' } as const, /ECONNRESET|closed|hang up/i],
  ])('%s', async (_, behaviour, message) => {
    mail.behave({ ...behaviour, reference: counted });
    await expect(send()).rejects.toThrow(message);
  });
});

it('resets only the connection that it was told to', async () => {
  mail.behave({ name: 'reset-after', reference: counted });
  mail.behave({ name: 'late', delayMs: 150, reference: mailReference('nok@example.com', 'workshop-842') });
  const other = send({ ...confirmation, to: 'nok@example.com' });
  await expect(send()).rejects.toThrow();
  await expect(other).resolves.toBeDefined();
});

it('takes mails over HTTP too, under the same count and the same rules', async () => {
  mail.behave({ name: 'error-before', reference: counted, times: 1 });
  const body = { to: 'mali@example.com', orderId: 'workshop-842', subject: 'Your seat' };
  expect(await post(body)).toBe(503);
  expect(await post(body)).toBe(201);
  await send();
  expect(mail.counts()).toEqual({ [counted]: 2 });
  expect(await post({ to: 'mali@example.com' })).toBe(422);
});

it('cannot be looked up, nor honours idempotency keys, unless it is started so', async () => {
  const body = { to: 'mali@example.com', orderId: 'workshop-842' };
  const lookUp = () => fetch(`${mail.url}/mails?to=mali@example.com&orderId=workshop-842`);
  await post(body, { 'idempotency-key': 'key-1' });
  await post(body, { 'idempotency-key': 'key-1' });
  expect(mail.counts()).toEqual({ [counted]: 2 });
  expect((await lookUp()).status).toBe(404);
  await mail.stop();

  mail = await MailSystem.start({ idempotencyKeys: true, lookUp: true });
  await post(body, { 'idempotency-key': 'key-1' });
  await post(body, { 'idempotency-key': 'key-1' });
  expect(await (await lookUp()).json()).toMatchObject({ mails: [{ messageId: 'MSG-1' }] });
  expect(mail.counts()).toEqual({ [counted]: 1 });
});

it('forgets mails and rules when it is reset', async () => {
  mail.behave({ name: 'refuse' });
  mail.reset();
  await send();
  expect(mail.counts()).toEqual({ [counted]: 1 });
  mail.reset();
  expect(mail.counts()).toEqual({});
});
