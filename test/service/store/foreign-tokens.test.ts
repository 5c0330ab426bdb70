import { issueToken, readToken } from '../../../ledger-service/src/domain/claim-token';
import { Problem } from '../../../ledger-service/src/domain/problem';
import { Story } from '../domain/story';
import { openLedger, type OpenLedger } from './open-ledger';

let open: OpenLedger;
beforeAll(async () => {
  open = await openLedger();
});
afterAll(() => open.close());

/** Whatever one does with a token: the problem's code, or what it was answered. */
async function tried(claimToken: string): Promise<string[]> {
  const { ledger, workspaceNo } = open;
  const answers = [
    ...(await ledger.receipts(workspaceNo, [{ claimToken, outcome: 'confirmed' }])),
    ...(await ledger.heartbeats(workspaceNo, [{ claimToken }])),
    ...(await ledger.releases(workspaceNo, [{ claimToken }])),
  ];
  return answers.map((answer) => (answer instanceof Problem ? answer.code : answer.result));
}

const nobodys = ['claim_token_unknown', 'claim_token_unknown', 'claim_token_unknown'];

test('a token whose proof was guessed is nobody’s', async () => {
  const story = new Story(open);
  await story.claim();
  const before = await story.stored();
  const forged = issueToken(story.id, 1, '00000000-0000-0000-0000-000000000000');
  expect(await tried(forged)).toEqual(nobodys);
  expect(await story.stored()).toEqual(before);
});

test('a token of one action does not open another', async () => {
  const [one, other] = [new Story(open), new Story(open)];
  await one.claim();
  await other.claim();
  const bytes = Buffer.from(one.current.claimToken.slice(3), 'base64url');
  Buffer.from(other.id.replaceAll('-', ''), 'hex').copy(bytes);
  expect(await tried(`ct_${bytes.toString('base64url')}`)).toEqual(nobodys);
});

test('a token of an attempt that does not exist yet is nobody’s', async () => {
  const story = new Story(open);
  await story.claim();
  const bytes = Buffer.from(story.current.claimToken.slice(3), 'base64url');
  for (const attempt of [0, 2, 2 ** 31, 2 ** 32 - 1]) {
    bytes.writeUInt32BE(attempt, 16);
    expect(await tried(`ct_${bytes.toString('base64url')}`)).toEqual(nobodys);
  }
});

test('a token of an action that does not exist is nobody’s', async () => {
  const story = new Story(open);
  await story.claim();
  const { attempt } = readToken(story.current.claimToken);
  expect(await tried(issueToken('11111111-1111-4111-8111-111111111111', attempt, story.id))).toEqual(nobodys);
});

test('what is no token at all is refused by itself, its neighbours are answered', async () => {
  const story = new Story(open);
  await story.claim();
  const answers = await open.ledger.heartbeats(open.workspaceNo, [
    { claimToken: 'ct_nonsense' },
    { claimToken: story.current.claimToken },
    { claimToken: `${story.current.claimToken}A` },
  ]);
  expect(answers.map((answer) => (answer instanceof Problem ? answer.code : answer.result))).toEqual([
    'invalid_token',
    'extended',
    'invalid_token',
  ]);
});

test('the token is in no answer but the claim’s, and nowhere in what people see', async () => {
  const story = new Story(open);
  const granted = await story.claim();
  const others = [
    await story.heartbeat(),
    await story.ask(),
    await story.receipt('unknown', { evidence: { a: 1 } }),
    await open.ledger.reading.history((await open.ledger.reading.byId(open.workspaceNo, story.id))!),
    (await story.stored())?.history,
  ];
  const proof = granted.claimToken!.slice(-20);
  for (const other of others) expect(JSON.stringify(other)).not.toContain(proof);
});
