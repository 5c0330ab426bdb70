import fc from 'fast-check';

import {
  type ClaimItem,
  type ClaimsAsk,
  type Details,
  type EventAsk,
  type Holder,
  type SubjectVersion,
} from '../reference/asks';
import { keyAt } from '../reference/world';
import { KEYS, type Play } from './play';
import { Asking, type Move } from './moves';

/** What may differ between the two ledgers that are compared. */
export interface Circumstances {
  /** Lengths of leases, in seconds. */
  leases: readonly number[];
  /** Ages of events, in milliseconds before the case began. */
  eventAges: readonly number[];
  /** When the case begins, by the ledger's clock. */
  start: () => number;
}

/** Mostly one key, so that its story becomes long. */
export const someKey: fc.Arbitrary<number> = fc.oneof(
  { withCrossShrink: true },
  ...[6, 3, 1, 2].slice(0, KEYS).map((weight, key) => ({ weight, arbitrary: fc.constant(key) })),
);

/** The first is what a case shrinks to. */
export const often = <T>(weight: number, value: T, ...others: fc.WeightedArbitrary<T>[]): fc.Arbitrary<T> =>
  fc.oneof({ withCrossShrink: true }, { weight, arbitrary: fc.constant(value) }, ...others);

export const some = <T>(weight: number, arbitrary: fc.Arbitrary<T>): fc.WeightedArbitrary<T> => ({ weight, arbitrary });

const DETAILS: Record<string, Details> = {
  A: { amount: 4900, currency: 'thb' },
  // The same in another order.
  "A'": { currency: 'thb', amount: 4900 },
  B: { amount: 5000, currency: 'thb' },
};

const someDetails = often<string | undefined>(
  2,
  'A',
  some(1, fc.constantFrom("A'", undefined)),
  some(1, fc.constant('B')),
);

export interface HolderChoice {
  execution: number | null;
  workflow: string;
  mode: string;
  sends: boolean;
}

export const someHolder: fc.Arbitrary<HolderChoice | undefined> = often<HolderChoice | undefined>(
  1,
  undefined,
  some(
    6,
    fc.record({
      execution: often<number | null>(3, 1, some(3, fc.constantFrom(2, 3)), some(1, fc.constant(null))),
      workflow: often(6, 'booking', some(1, fc.constant('other'))),
      mode: often(6, 'webhook', some(1, fc.constant('manual'))),
      sends: often(5, true, some(1, fc.constant(false))),
    }),
  ),
);

export function holderOf(play: Play, choice: Omit<HolderChoice, 'sends'>): Holder {
  const { execution, workflow, mode } = choice;
  return {
    kind: 'n8n',
    instanceId: play.name,
    workflowId: workflow,
    mode,
    ...(execution === null ? {} : { executionId: `${play.name}-${execution}` }),
  };
}

export const holderInWords = ({ execution, workflow, mode }: Omit<HolderChoice, 'sends'>): string =>
  [
    execution === null ? 'a holder without execution' : `holder ${execution}`,
    workflow === 'booking' ? '' : ` of workflow ${workflow}`,
    mode === 'manual' ? ' (test run)' : '',
  ].join('');

const someVersion = (
  minutes: readonly number[],
): fc.Arbitrary<{ stream?: string; value?: number; minutes?: number } | undefined> =>
  often<{ stream?: string; value?: number; minutes?: number } | undefined>(
    8,
    undefined,
    some(2, fc.record({ value: fc.integer({ min: -1, max: 3 }) })),
    some(2, fc.record({ stream: fc.constant('order'), value: fc.integer({ min: 0, max: 3 }) })),
    some(1, fc.record({ stream: fc.constantFrom('times', 'order'), minutes: fc.constantFrom(...minutes) })),
  );

const someEvent = (ages: readonly number[]): fc.Arbitrary<{ id: string; source?: string; age?: number } | undefined> =>
  often<{ id: string; source?: string; age?: number } | undefined>(
    4,
    undefined,
    some(
      5,
      fc.record(
        { id: fc.constantFrom('evt-1', 'evt-2'), source: fc.constant('shop'), age: fc.constantFrom(...ages) },
        { requiredKeys: ['id'] },
      ),
    ),
  );

const someItem = ({ leases, eventAges }: Circumstances) =>
  fc.record({
    key: someKey,
    details: someDetails,
    lease: often<number | undefined>(3, undefined, some(2, fc.constantFrom(...leases))),
    holder: someHolder,
    version: someVersion([-5, -1, 2, 9, 30]),
    event: someEvent(eventAges),
  });

type ItemChoice = ReturnType<typeof someItem> extends fc.Arbitrary<infer T> ? T : never;

function itemOf(play: Play, { key, details, lease, holder, version, event }: ItemChoice, start: number): ClaimItem {
  const subjectVersion: SubjectVersion | undefined = version && {
    ...(version.stream === undefined ? {} : { stream: version.stream }),
    ...(version.minutes === undefined
      ? { value: version.value ?? 0 }
      : { occurredAt: start + version.minutes * 60_000 }),
  };
  const asked: EventAsk | undefined = event && {
    ...(event.source === undefined ? {} : { source: event.source }),
    id: `${event.id}-${play.name}`,
    ...(event.age === undefined ? {} : { occurredAt: start - event.age }),
  };
  return {
    key,
    ...(details === undefined ? {} : { details: DETAILS[details] }),
    ...(lease === undefined ? {} : { leaseSeconds: lease }),
    ...(holder === undefined ? {} : { holder: { ...holderOf(play, holder), sendsIdempotencyKey: holder.sends } }),
    ...(subjectVersion === undefined ? {} : { subjectVersion }),
    ...(asked === undefined ? {} : { event: asked }),
  };
}

function itemInWords({ key, details, lease, holder, version, event }: ItemChoice): string {
  const parts = [
    `key ${key + 1}`,
    details === undefined ? '' : `details ${details}`,
    lease === undefined ? '' : `lease ${lease} s`,
    version === undefined
      ? ''
      : `version ${version.minutes === undefined ? version.value : `${version.minutes} min`}${version.stream === undefined ? '' : ` of ${version.stream}`}`,
    event === undefined
      ? ''
      : `event ${event.source === undefined ? '' : `${event.source}:`}${event.id}${event.age === undefined ? '' : ` ${event.age / 1000} s old`}`,
  ];
  const by =
    holder === undefined ? '' : ` by ${holderInWords(holder)}${holder.sends ? '' : ', who does not send the key'}`;
  return `(${parts.filter(Boolean).join(', ')})${by}`;
}

function claimMove(circumstances: Circumstances): fc.Arbitrary<Move> {
  return fc
    .record({
      item: someItem(circumstances),
      place: often(6, 0, some(1, fc.constantFrom(1, 2))),
      named: often(8, true, some(1, fc.constant(false))),
    })
    .map(({ item, place, named }) => {
      const where = place === 0 ? '' : ` at place ${place} of its call`;
      const words = `claim${itemInWords(item)}${where}${named ? '' : ', without request token'}`;
      return new Asking(words, (play) => ({
        kind: 'claims',
        workspace: keyAt(play.world, item.key).workspace,
        ...(named ? { requestToken: play.newRequestToken() } : {}),
        items: [...Array.from({ length: place }, () => null), itemOf(play, item, circumstances.start())],
      }));
    });
}

/**
 * Several in one call. A key that is there twice names no version (all versions of a call count before any is decided)
 * and its event once (how often it was delivered is exact for one claim after another only, as the HTTP page says).
 */
function claimTogetherMove(circumstances: Circumstances): fc.Arbitrary<Move> {
  return fc.array(someItem(circumstances), { minLength: 2, maxLength: 4 }).map((choices) => {
    const items = choices
      .filter(({ key }) => key !== 2)
      .map((item, place, all) => {
        const alone = all.filter(({ key }) => key === item.key).length === 1;
        const first = all.findIndex(({ key }) => key === item.key) === place;
        const version = alone && item.version?.minutes === undefined ? item.version : undefined;
        return { ...item, version, event: first ? item.event : undefined };
      });
    const words = `claims in one call: ${items.map(itemInWords).join(' and ')}`;
    return new Asking(words, (play) =>
      items.length === 0
        ? null
        : {
            kind: 'claims',
            workspace: 'default',
            requestToken: play.newRequestToken(),
            items: items.map((item) => itemOf(play, item, circumstances.start())),
          },
    );
  });
}

/** An earlier call for the key, word for word: its transport's retry. */
const sameCallMove: fc.Arbitrary<Move> = fc
  .record({ key: someKey, age: often(4, 0, some(2, fc.constantFrom(1, 2))) })
  .map(({ key, age }) => {
    const which = age === 0 ? 'last call' : `call ${age} before the last`;
    return new Asking(
      `the ${which} for key ${key + 1} once more`,
      (play): ClaimsAsk | null => play.calls[key]?.at(-1 - age) ?? null,
    );
  });

const registerMove = ({ start }: Circumstances): fc.Arbitrary<Move> =>
  fc
    .record({
      key: someKey,
      details: someDetails,
      due: often<number | undefined>(3, undefined, some(1, fc.constant(60))),
    })
    .map(({ key, details, due }) => {
      const parts = [`key ${key + 1}`, details && `details ${details}`, due && `due in ${due} min`];
      return new Asking(`register(${parts.filter(Boolean).join(', ')})`, () => ({
        kind: 'register',
        key,
        ...(details === undefined ? {} : { details: DETAILS[details]! }),
        ...(due === undefined ? {} : { dueAt: start() + due * 60_000 }),
      }));
    });

export const claimMoves = (circumstances: Circumstances): fc.WeightedArbitrary<Move>[] => [
  some(22, claimMove(circumstances)),
  some(3, claimTogetherMove(circumstances)),
  some(5, sameCallMove),
  some(2, registerMove(circumstances)),
];
