import { styleText } from 'node:util';

import type { Case } from './cases/case';
import type { Effects } from './scene';
import type { Verdict } from './verdict';

type Style = Parameters<typeof styleText>[0];

const WIDTH = 80;
const LABEL = 24;

/** `styleText` colours only where the stream is a terminal that takes colours, and minds NO_COLOR. */
const style = (as: Style, text: string): string => styleText(as, text, { stream: process.stdout });

const MARKS: Record<Verdict['kind'], { mark: string; as: Style }> = {
  once: { mark: '✓', as: 'green' },
  review: { mark: '?', as: 'yellow' },
  wrong: { mark: '✗', as: 'red' },
};

export function say(text = ''): void {
  console.log(text);
}

export function title(text: string): void {
  say(style('bold', text));
}

export function paragraph(text: string, indent = ''): void {
  for (const line of wrap(text, WIDTH - indent.length)) say(`${indent}${line}`);
}

export function caseHead(number: number, { title: name, story }: Case): void {
  say();
  say(style('bold', `${String(number).padStart(2)}  ${name}`));
  paragraph(story, '    ');
  say(style('dim', `    ${''.padEnd(LABEL)}bookings  mails`));
}

export interface Line {
  title: string;
  without: Verdict;
  /** One after the other: with the guards, then with what was unknown resolved. */
  with: Verdict[];
}

export function summary(lines: readonly Line[]): void {
  say();
  title(`${''.padEnd(44)}${'without'.padEnd(24)}with the guards`);
  for (const [index, { title: name, without, with: guarded }] of lines.entries()) {
    const padding = ''.padEnd(Math.max(1, 22 - without.words.length));
    const number = String(index + 1).padStart(2);
    say(`${number}  ${name.padEnd(40)}${shown(without)}${padding}${guarded.map(inShort).join(', then ')}`);
  }
}

const inShort = (verdict: Verdict): string => shown({ ...verdict, words: verdict.words.split(':')[0] ?? '' });

function shown({ kind, words, asPromised }: Verdict): string {
  const { mark, as } = MARKS[kind];
  return `${style(as, `${mark} ${words}`)}${asPromised ? '' : style(['bold', 'red'], '  NOT AS PROMISED')}`;
}

export interface Row {
  label: string;
  effects: Effects;
  verdict: Verdict;
  /** What the ledger decided, a line for each operation. */
  decisions: string[];
  /** The ledger's own sentence for what it held. */
  reason: string | null;
}

export function row({ label, effects, verdict, decisions, reason }: Row): void {
  const numbers = `${String(effects.bookings).padStart(8)}  ${String(effects.mails).padStart(5)}`;
  say(`    ${label.padEnd(LABEL)}${numbers}  ${shown(verdict)}`);
  for (const line of decisions) say(style('dim', `      ${line}`));
  if (reason !== null) {
    for (const line of wrap(`"${reason}"`, WIDTH - 6)) say(style('dim', `      ${line}`));
  }
}

export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
