import fc from 'fast-check';

import { type Details, type Holder, type ReceiptAsk } from '../reference/asks';
import { type HolderChoice, holderInWords, holderOf, often, some, someKey } from './claim-moves';
import { ageInWords, Asking, attemptAged, type Move } from './moves';
import { type Play } from './play';

/** What the holder of a claim says. */

const someAge = often(6, 0, some(3, fc.constant(1)), some(1, fc.constant(2)));

const isForeign = often(40, false, some(1, fc.constant(true)));

const withForeign = (foreign: boolean): { foreign?: boolean } => (foreign ? { foreign } : {});
const foreignInWords = (foreign: boolean): string => (foreign ? ", with another workspace's API key" : '');

const REFERENCES: Record<string, { reference?: string; references?: string[] }> = {
  'RSV-1': { reference: 'RSV-1' },
  'RSV-2': { reference: 'RSV-2' },
  'RSV-1 and RSV-2': { references: ['RSV-2', 'RSV-1', 'RSV-2'] },
  'RSV-2 with RSV-3': { reference: 'RSV-3', references: ['RSV-2'] },
};

const EVIDENCE: Record<string, Details> = {
  x: { seat: 12, row: 'x' },
  "x'": { row: 'x', seat: 12 },
  y: { status: 402 },
};

const CAUSES = ['timeout', 'pinned_data', 'It took too long', ' timeout '];

const EXECUTIONS = ['its claim', 'another execution', 'a holder without execution'] as const;

const receiptMove: fc.Arbitrary<Move> = fc
  .record({
    key: someKey,
    age: someAge,
    outcome: fc.constantFrom<ReceiptAsk['outcome'][]>('confirmed', 'failed', 'unknown'),
    named: often<string | undefined>(2, undefined, some(3, fc.constantFrom(...Object.keys(REFERENCES)))),
    // References say something of what happened; with other outcomes they are rare.
    namedAnyway: often(5, false, some(1, fc.constant(true))),
    evidence: often<string | undefined>(3, undefined, some(3, fc.constantFrom(...Object.keys(EVIDENCE)))),
    cause: often<string | undefined>(5, undefined, some(2, fc.constantFrom(...CAUSES))),
    from: often<(typeof EXECUTIONS)[number] | undefined>(6, undefined, some(2, fc.constantFrom(...EXECUTIONS))),
    foreign: isForeign,
  })
  .map(({ key, age, outcome, named, namedAnyway, evidence, cause, from, foreign }) => {
    const references = outcome === 'confirmed' || namedAnyway ? named : undefined;
    const parts = [
      `key ${key + 1}`,
      `${outcome}${references === undefined ? '' : ` ${references}`}`,
      evidence && `evidence ${evidence}`,
      cause && `cause "${cause}"`,
    ];
    const by = from === undefined ? '' : ` from ${from}`;
    const words = `receipt(${parts.filter(Boolean).join(', ')}) of ${ageInWords(age)}${by}${foreignInWords(foreign)}`;
    return new Asking(words, (play): ReceiptAsk | null => {
      const attempt = attemptAged(play, key, age);
      if (attempt === null) return null;
      return {
        kind: 'receipt',
        key,
        attempt,
        outcome,
        ...(references === undefined ? {} : REFERENCES[references]),
        ...(evidence === undefined ? {} : { evidence: EVIDENCE[evidence]! }),
        ...(cause === undefined ? {} : { cause }),
        ...(from === undefined ? {} : { holder: executionFor(play, key, from) }),
        ...withForeign(foreign),
      };
    });
  });

function executionFor(play: Play, key: number, from: (typeof EXECUTIONS)[number]): Holder {
  const claimed = play.world.actions[key]?.holder;
  if (from === 'its claim' && claimed) return claimed;
  const execution = from === 'a holder without execution' ? null : 9;
  return holderOf(play, { execution, workflow: 'booking', mode: 'retry' });
}

const heartbeatMove: fc.Arbitrary<Move> = fc
  .record({ key: someKey, age: often(6, 0, some(1, fc.constant(1))), foreign: isForeign })
  .map(
    ({ key, age, foreign }) =>
      new Asking(`heartbeat(key ${key + 1}) of ${ageInWords(age)}${foreignInWords(foreign)}`, (play) => {
        const attempt = attemptAged(play, key, age);
        return attempt === null ? null : { kind: 'heartbeat', key, attempt, ...withForeign(foreign) };
      }),
  );

const releaseMove: fc.Arbitrary<Move> = fc
  .record({ key: someKey, age: often(6, 0, some(1, fc.constant(1))), foreign: isForeign })
  .map(
    ({ key, age, foreign }) =>
      new Asking(`release(key ${key + 1}) of ${ageInWords(age)}${foreignInWords(foreign)}`, (play) => {
        const attempt = attemptAged(play, key, age);
        return attempt === null ? null : { kind: 'release', key, claim: { attempt }, ...withForeign(foreign) };
      }),
  );

/** For a claim whose answer was lost. */
const releaseOfCallMove: fc.Arbitrary<Move> = fc
  .record({ key: someKey, age: often(5, 0, some(2, fc.constant(1))), off: often(6, 0, some(1, fc.constant(1))) })
  .map(({ key, age, off }) => {
    const which = age === 0 ? 'last call' : 'call before the last';
    const place = off === 0 ? '' : ', but at another place';
    return new Asking(`release(key ${key + 1}) of the ${which}${place}`, (play) => {
      const call = play.calls[key]?.at(-1 - age);
      if (call?.requestToken === undefined) return null;
      const position = call.items.findLastIndex((item) => item?.key === key) + off;
      return { kind: 'release', key, claim: { requestToken: call.requestToken, position } };
    });
  });

const endedMove: fc.Arbitrary<Move> = fc
  .record({
    execution: fc.constantFrom(1, 2),
    workflow: often(6, 'booking', some(1, fc.constant('other'))),
    mode: fc.constant('webhook'),
    cause: often<'ended_without_receipt' | undefined>(
      1,
      undefined,
      some(1, fc.constant('ended_without_receipt' as const)),
    ),
    workspace: often(6, 'default', some(1, fc.constant('second'))),
  })
  .map(({ cause, workspace, ...holder }) => {
    const choice: Omit<HolderChoice, 'sends'> = holder;
    const words = `the execution of ${holderInWords(choice)} ended${cause === undefined ? '' : ` (${cause})`}${workspace === 'default' ? '' : ' in the second workspace'}`;
    return new Asking(words, (play) =>
      play.world.actions.every((action) => action === null)
        ? null
        : { kind: 'ended', workspace, holder: holderOf(play, choice), ...(cause === undefined ? {} : { cause }) },
    );
  });

export const holderMoves: fc.WeightedArbitrary<Move>[] = [
  some(26, receiptMove),
  some(4, heartbeatMove),
  some(6, releaseMove),
  some(2, releaseOfCallMove),
  some(4, endedMove),
];
