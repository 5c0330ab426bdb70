import { inIso, inSeconds, inWords, isInSecond, type Moment, settle } from './moments';
import { type World } from './world';

/** Parts of an expected answer that stand for what only the ledger knows. */

/** Something that the ledger made up: the same under the same name, and under no other. */
export class Made {
  constructor(readonly name: string) {}
}

/** A moment, written as ISO 8601. */
export class At {
  constructor(readonly moment: Moment) {}
}

/** A text with moments in it: written to the second, or whole (`At`). */
export class Sentence {
  readonly parts: readonly (string | Moment | At)[];
  constructor(...parts: (string | Moment | At)[]) {
    this.parts = parts;
  }
}

const waysToWrite = (part: string | Moment | At): string[] => {
  if (typeof part === 'string') return [part];
  return part instanceof At ? inIso(part.moment) : inSeconds(part);
};

/** An object of which only these members matter. */
export class Having {
  constructor(readonly members: Record<string, unknown>) {}
}

/** A list in any order, told apart by these members. */
export class InAnyOrder {
  readonly by: readonly string[];
  constructor(
    readonly items: readonly Record<string, unknown>[],
    ...by: string[]
  ) {
    this.by = by;
  }
}

/** Any text of this form. */
export class Form {
  constructor(readonly pattern: RegExp) {}
}

/**
 * Compares an answer with what is expected and remembers in the world what it shows of what only the ledger knew. Answers
 * what does not fit, as `path: said … instead of …`; null where all fits.
 */
export function difference(world: World, expected: unknown, actual: unknown): string | null {
  const sentences: [Sentence, unknown, string][] = [];
  const found = compare(world, expected, actual, '', sentences);
  if (found !== null) return found;
  // Last: the other members have shown which moments they speak of.
  for (const [sentence, text, path] of sentences) {
    if (!isSaid(sentence, text)) return differs(path, sentence, text);
  }
  return null;
}

type Sentences = [Sentence, unknown, string][];

function compare(world: World, expected: unknown, actual: unknown, path: string, sentences: Sentences): string | null {
  if (expected instanceof Sentence) {
    sentences.push([expected, actual, path]);
    return null;
  }
  if (expected instanceof At) {
    const at = typeof actual === 'string' ? Date.parse(actual) : NaN;
    return settle(expected.moment, at) ? null : differs(path, expected, actual);
  }
  if (expected instanceof Made) return madeAs(world, expected.name, actual) ? null : differs(path, expected, actual);
  if (expected instanceof Form) {
    return typeof actual === 'string' && expected.pattern.test(actual) ? null : differs(path, expected, actual);
  }
  if (expected instanceof InAnyOrder) return compareInAnyOrder(world, expected, actual, path, sentences);
  const partly = expected instanceof Having;
  const members = partly ? expected.members : expected;
  if (typeof members !== 'object' || members === null) {
    return members === actual ? null : differs(path, expected, actual);
  }
  if (typeof actual !== 'object' || actual === null || Array.isArray(members) !== Array.isArray(actual)) {
    return differs(path, expected, actual);
  }
  const names = new Set(Object.keys(members));
  if (!partly) for (const name of Object.keys(actual)) names.add(name);
  for (const name of names) {
    const [want, got] = [members, actual].map((one) => (one as Record<string, unknown>)[name]);
    const found = compare(world, want, got, `${path}.${name}`, sentences);
    if (found !== null) return found;
  }
  return null;
}

function compareInAnyOrder(
  world: World,
  { items, by }: InAnyOrder,
  actual: unknown,
  path: string,
  sentences: Sentences,
): string | null {
  if (!Array.isArray(actual) || actual.length !== items.length) return differs(path, items, actual);
  const nameOf = (item: Record<string, unknown>): string => JSON.stringify(by.map((name) => item[name]));
  const byName = (list: readonly Record<string, unknown>[]): Record<string, unknown>[] =>
    [...list].sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  return compare(world, byName(items), byName(actual as Record<string, unknown>[]), path, sentences);
}

function madeAs({ made }: World, name: string, actual: unknown): boolean {
  if (typeof actual !== 'string') return false;
  const known = made[name];
  if (known !== undefined) return known === actual;
  if (Object.values(made).includes(actual)) return false;
  made[name] = actual;
  return true;
}

const TIME = { whole: '\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z', seconds: '\\d{4}-\\d\\d-\\d\\d [\\d:]+ UTC' };

const literally = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The words as they are, and times that can have been the moments they stand for. */
function isSaid({ parts }: Sentence, text: unknown): boolean {
  const form = parts.map((part) => {
    if (typeof part === 'string') return literally(part);
    return `(${part instanceof At ? TIME.whole : TIME.seconds})`;
  });
  const times = typeof text === 'string' ? new RegExp(`^${form.join('')}$`).exec(text)?.slice(1) : undefined;
  if (times === undefined) return false;
  return parts
    .filter((part) => typeof part !== 'string')
    .every((part, index) => {
      const time = times[index]!;
      return part instanceof At ? settle(part.moment, Date.parse(time)) : isInSecond(part, time);
    });
}

const differs = (path: string, expected: unknown, actual: unknown): string =>
  `${path === '' ? 'the answer' : path.slice(1)}: said ${shown(actual)} instead of ${shown(expected)}`;

function shown(value: unknown): string {
  const text = JSON.stringify(value, (_name, part: unknown) => {
    if (part instanceof At) return inWords(part.moment);
    if (part instanceof Made) return `<${part.name}>`;
    if (part instanceof Form) return `<like ${part.pattern.source}>`;
    if (part instanceof Having) return part.members;
    if (part instanceof Sentence) return part.parts.map((one) => waysToWrite(one)[0]).join('');
    return part;
  }) as string | undefined;
  return text ?? 'nothing';
}
