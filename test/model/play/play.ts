import { type ReferenceModel, type Reply } from '../reference-model';
import { actionId, actionWithEvents, historyAnswer, openItem } from '../reference/answers';
import { type Ask, type ClaimsAsk } from '../reference/asks';
import { difference, Having } from '../reference/expected';
import { exactly } from '../reference/moments';
import { agedBy, type KeyName, keyAt, newWorld, type World } from '../reference/world';
import { type Answered, type LedgerUnderTest } from './ledger-under-test';
import { requestOf, seen } from './requests';

/** The keys of a case: two accounts, two workspaces, two versions of one action, two operations. */
const keysOf = (name: string): KeyName[] => {
  const key = {
    workspace: 'default',
    account: 'default',
    subject: `order-${name}`,
    operation: `book-${name}`,
    version: 1,
  };
  return [
    key,
    { ...key, account: 'shop-2', operation: `charge:${name}%` },
    { ...key, workspace: 'second' },
    { ...key, version: 2 },
  ];
};

export const KEYS = keysOf('').length;

/** One case: what was asked so far, what the model makes of it, and the ledger that must say the same. */
export class Play {
  readonly world: World;
  /** Calls for claims, by the key that they were for. */
  readonly calls: ClaimsAsk[][] = keysOf('').map(() => []);
  readonly told: string[] = [];
  private tokens = 0;
  private turn = 0;

  constructor(
    /** Makes the case's names its own, where others run on the same ledger. */
    readonly name: string,
    readonly model: ReferenceModel,
    readonly ledger: LedgerUnderTest,
    private readonly looksAlways = false,
  ) {
    this.world = newWorld(keysOf(name));
  }

  newRequestToken(): string {
    return `call ${++this.tokens} of ${this.name}`;
  }

  /** Asks the ledger and the model, and fails where their answers differ. */
  async ask(words: string, ask: Ask): Promise<void> {
    const request = requestOf(this.world, ask);
    const answered = await (request === null ? this.ledger.sweep() : this.ledger.send(request));
    const turn = ++this.turn;
    const expected = this.model.answer(this.world, ask, () => ({ ...answered.clock, turn }));
    if (ask.kind === 'claims') for (const item of ask.items) if (item !== null) this.calls[item.key]?.push(ask);
    this.compare(words, expected, answered);
    if (this.looksAlways) await this.lookAtAll();
  }

  async letLeaseRunOut(words: string, place: number): Promise<void> {
    const key = keyAt(this.world, place);
    const at = await this.ledger.letLeaseRunOut(key.workspace, seen(this.world, actionId(key)));
    this.world.actions[place]!.due = exactly(at);
    this.told.push(words);
  }

  async letPass(words: string, ms: number): Promise<void> {
    const ids = this.world.keys
      .filter((_, place) => this.world.actions[place])
      .map((key) => seen(this.world, actionId(key)));
    await this.ledger.letPass(ms, ids);
    if (this.ledger.agesActions) agedBy(this.world, ms);
    this.told.push(words);
  }

  /** Compares what the ledger keeps of an action with what the model does: view, history, and what its view leaves out. */
  async look(words: string, place: number): Promise<void> {
    const action = this.world.actions[place];
    if (!action) return;
    const key = keyAt(this.world, place);
    const { workspace } = key;
    const id = seen(this.world, actionId(key));
    const path = `/v1/actions/${id}`;
    const view = await this.ledger.send({ workspace, method: 'GET', path });
    this.compare(words, { status: 200, body: actionWithEvents(this.world, place, action) }, view);
    const history = await this.ledger.send({ workspace, method: 'GET', path: `${path}/history` });
    this.compare(`history: ${words}`, { status: 200, body: historyAnswer(this.world, place, action) }, history);
    const open = await this.ledger.openItem(workspace, id);
    this.compare(
      `schedule: ${words}`,
      { status: 200, body: openItem(action) },
      { status: 200, body: open, clock: view.clock },
    );
  }

  async lookAtAll(): Promise<void> {
    for (let place = 0; place < KEYS; place++) await this.look(`look at key ${place + 1}`, place);
  }

  private compare(words: string, expected: Reply, answered: Answered): void {
    const found = difference(this.world, new Having({ ...expected }), answered);
    if (found !== null || !words.includes('look at')) this.told.push(`${words} -> ${inShort(answered)}`);
    if (found === null) return;
    throw new Error(
      `The ledger and the model differ. What was asked, and what the ledger said:\n${this.story()}\nThe last is wrong: ${this.plain(found)}`,
    );
  }

  /** What was asked so far, a line each. */
  story(): string {
    return this.told.map((line, index) => `  ${index + 1}. ${this.plain(line)}`).join('\n');
  }

  /** Without what makes the case's names its own. */
  private plain(text: string): string {
    return text.replaceAll(`-${this.name}`, '').replaceAll(` of ${this.name}`, '').replaceAll(`:${this.name}`, '');
  }
}

/** An answer in a few words. */
export function inShort({ status, body }: Pick<Answered, 'status' | 'body'>): string {
  const whole = body as Record<string, unknown> | null;
  if (status !== 200) return `${status} ${String(whole?.['code'])}`;
  const results = (whole?.['results'] ?? [whole ?? {}]) as Record<string, unknown>[];
  return results
    .map((result) => {
      const error = result['error'] as Record<string, unknown> | undefined;
      const said = error?.['code'] ?? result['decision'] ?? result['result'] ?? result['swept'] ?? result['state'];
      const state = result['state'] ?? (result['action'] as Record<string, unknown> | undefined)?.['state'];
      return [
        said,
        state !== said && state !== undefined ? `(${state as string})` : '',
        result['replayed'] === true ? 'again' : '',
      ]
        .filter((part) => part !== '' && part !== undefined)
        .map(String)
        .join(' ');
    })
    .join(', ');
}
