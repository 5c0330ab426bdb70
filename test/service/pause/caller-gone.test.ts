import { once } from 'node:events';
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import { type Socket } from 'node:net';
import { text } from 'node:stream/consumers';

import { onPausePoint, type PausePoint } from '../../../ledger-service/src/store/pause-point';
import { passesOf, stoppedAt } from './at-pass';
import { type Read, RunningService } from '../http/running-service';

/**
 * The caller hangs up at every point of its call: what it asked for is done once, and the same call again is told what
 * the first one would have been told.
 */
jest.setTimeout(180_000);

let service: RunningService;
const passed = new Set<PausePoint>();
const takeOff = onPausePoint((point) => void passed.add(point));
beforeAll(async () => {
  service = await RunningService.start();
  await service.put('/v1/operations/book', { owner: 'front desk' });
});
afterAll(async () => {
  takeOff();
  await service.stop();
});

const HUNG_UP = 'hung up';

/** A call on a connection of its own, so that hanging up is seen by the service and by nobody else's call. */
class Call {
  private readonly request: ClientRequest;
  readonly answer: Promise<Read>;

  constructor(path: string, body: object) {
    this.request = http.request(`${service.url}${path}`, {
      method: 'POST',
      agent: false,
      headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
    });
    this.answer = once(this.request, 'response')
      .then(async ([response]: IncomingMessage[]): Promise<Read> => JSON.parse(await text(response!)))
      .catch(() => HUNG_UP);
    this.request.end(JSON.stringify(body));
  }

  /** Resolves when the service knows. */
  async hangUp(): Promise<void> {
    const localPort = this.request.socket?.localPort;
    const known = [...sockets].find(({ remotePort }) => remotePort === localPort);
    const closed = known === undefined ? Promise.resolve() : once(known, 'close');
    this.request.destroy();
    await closed;
  }
}

const sockets = new Set<Socket>();
beforeAll(() => {
  service.app.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
});

interface Asked {
  path: string;
  body: object;
  subject: string;
}

let count = 0;

async function claimed(): Promise<{ subject: string; claim: Read }> {
  const subject = `order-${++count}`;
  return { subject, claim: await service.claim({ subject, operation: 'book', holder: HOLDER(subject) }) };
}
const HOLDER = (executionId: string): object => ({
  kind: 'n8n',
  instanceId: 'n8n-1',
  workflowId: 'booking',
  executionId,
});

interface Kind {
  make: () => Promise<Asked>;
  /** What is in the answer, first and again. */
  answer: object;
  again?: object;
  stored: object;
}

const first = (results: object): object => ({ results: [results] });

const KINDS: Record<string, Kind> = {
  'a claim': {
    make: () => {
      const subject = `order-${++count}`;
      const claims = [{ subject, operation: 'book', event: { id: `evt-${subject}` } }];
      return Promise.resolve({ path: '/v1/claims', subject, body: { requestToken: `call-of-${subject}`, claims } });
    },
    answer: first({ decision: 'proceed', attempt: 1, event: { deliveries: 1 } }),
    stored: { state: 2, attempt: 1, history_seq: 1 },
  },
  'a confirmed receipt': {
    make: async () => {
      const { subject, claim } = await claimed();
      const receipts = [{ claimToken: claim.claimToken, outcome: 'confirmed', reference: subject }];
      return { path: '/v1/receipts', subject, body: { receipts } };
    },
    answer: first({ result: 'recorded', late: false, contradiction: null }),
    stored: { state: 3, attempt: 1, history_seq: 2 },
  },
  'a heartbeat': {
    make: async () => {
      const { subject, claim } = await claimed();
      return { path: '/v1/heartbeats', subject, body: { heartbeats: [{ claimToken: claim.claimToken }] } };
    },
    answer: first({ result: 'extended' }),
    stored: { state: 2, attempt: 1, history_seq: 1 },
  },
  'a release': {
    make: async () => {
      const { subject, claim } = await claimed();
      return { path: '/v1/releases', subject, body: { releases: [{ claimToken: claim.claimToken }] } };
    },
    answer: first({ result: 'released' }),
    stored: { state: 1, attempt: 1, history_seq: 2 },
  },
  'the end of an execution': {
    make: async () => {
      const { subject } = await claimed();
      return { path: '/v1/executions/ended', subject, body: { holder: HOLDER(subject) } };
    },
    answer: { abandoned: [{ state: 'unknown' }] },
    again: { abandoned: [] },
    stored: { state: 5, attempt: 1, history_seq: 2 },
  },
  'a resolution': {
    make: async () => {
      const { subject, claim } = await claimed();
      await service.receipt({ claimToken: claim.claimToken, outcome: 'unknown' });
      const body = { outcome: 'not_happened', attempt: 1, historySeq: 2, reason: 'looked it up' };
      return { path: `/v1/actions/${claim.actionId}/resolution`, subject, body };
    },
    answer: { result: 'resolved' },
    again: { code: 'stale_resolution' },
    // What is found again is kept beside it.
    stored: { state: 4, attempt: 1 },
  },
  'an override': {
    make: async () => {
      const { subject, claim } = await claimed();
      await service.receipt({ claimToken: claim.claimToken, outcome: 'confirmed' });
      const body = { attempt: 1, historySeq: 2, by: 'Ada', secondPerson: 'Grace', reason: 'it was lost' };
      return { path: `/v1/actions/${claim.actionId}/override`, subject, body };
    },
    answer: { result: 'overridden' },
    again: { code: 'stale_resolution' },
    stored: { state: 5, attempt: 1, history_seq: 3 },
  },
};

const storedOf = async (subject: string): Promise<object | undefined> =>
  (
    await service.sql<object>('SELECT state, attempt, history_seq FROM action_ledger.actions WHERE subject = $1', [
      subject,
    ])
  )[0];

/** Memory of keys and operations is warm, so that every call of a kind passes the same points. */
async function passesOfCall({ make }: Kind): Promise<PausePoint[]> {
  const { path, body } = await make();
  return passesOf(() => new Call(path, body).answer);
}

test.each(Object.entries(KINDS))('%s', async (_name, kind) => {
  const { answer, again = answer, stored } = kind;
  await passesOfCall(kind);
  const passes = await passesOfCall(kind);
  expect(passes).toContain('batch settled');
  for (let pass = 0; pass < passes.length; pass++) {
    const { path, body, subject } = await kind.make();
    const { point } = await stoppedAt(
      pass,
      async () => {
        call = new Call(path, body);
        const met = await call.answer;
        // Answered before it could hang up, or never.
        if (met !== HUNG_UP) expect(met).toMatchObject(answer);
      },
      () => call.hangUp(),
    );
    // While what is left of the first one may still be under way.
    const repeated = await new Call(path, body).answer;
    const where = { point, pass };
    expect({ ...where, repeated: matches(repeated, answer) ? answer : repeated }).toMatchObject({
      ...where,
      repeated: matches(repeated, answer) ? answer : again,
    });
    expect({ ...where, ...(await storedOf(subject)) }).toMatchObject({ ...where, ...stored });
  }
});

let call: Call;

const matches = (given: unknown, wanted: object): boolean => {
  try {
    expect(given).toMatchObject(wanted);
    return true;
  } catch {
    return false;
  }
};

test('a reconciler hangs up while it takes what is due: it is due again when its lease is over, and not before', async () => {
  const lease = { operation: 'look-up-later', limit: 10, leaseSeconds: 1 };
  const subject = 'due-1';
  const claim = await service.claim({ subject, operation: lease.operation });
  await service.receipt({ claimToken: claim.claimToken, outcome: 'unknown' });
  const take = (): Promise<Read> => new Call('/v1/reconciliations/lease', lease).answer;
  const takenAgain = async (): Promise<Read> => {
    for (;;) {
      const { actions } = await take();
      if (actions.length > 0) return actions;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  await takenAgain();
  const passes = await passesOf(takenAgain);
  for (const point of ['operation of the lease found', 'due actions leased', 'due actions taken'] as const) {
    expect(passes).toContain(point);
    let hungUp = 0;
    const off = onPausePoint(async (at) => {
      if (at !== point) return;
      off();
      hungUp++;
      await call.hangUp();
    });
    call = new Call('/v1/reconciliations/lease', lease);
    const met = await call.answer;
    off();
    expect(hungUp).toBe(1);
    expect(met).toBe(HUNG_UP);
    expect(await takenAgain()).toMatchObject([{ subject, attempt: 1, historySeq: 2 }]);
  }
});

test('the points of HTTP were passed', () => {
  expect([...passed]).toEqual(
    expect.arrayContaining([
      'API key found',
      'batch results known',
      'action to resolve found',
      'resolution recorded',
      'action to override found',
      'override recorded',
      'end of execution recorded',
      'operation of the lease found',
      'due actions taken',
      'due actions leased',
      'held claims found',
    ]),
  );
});
