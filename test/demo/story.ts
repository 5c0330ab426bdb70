import type { ChildProcess } from 'node:child_process';
import path from 'node:path';

import { cases } from './cases';
import type { Case } from './cases/case';
import type { Cleanup } from './cleanup';
import { endProcess, LedgerProcess } from './ledger-process';
import { caseHead, type Line, paragraph, row, say, summary } from './report';
import { Scene } from './scene';
import { judgeGuarded, judgeUnguarded, type Verdict } from './verdict';

const OWNER = 'bookings@example.com';

/** Plays all cases; answers how many went as promised, and how many not. */
export async function playAll(folder: string, cleanup: Cleanup): Promise<{ passed: number; failed: number }> {
  const ledger = await LedgerProcess.start(path.join(folder, 'data'), (child: ChildProcess) => {
    cleanup.add(() => endProcess(child));
  });
  for (const operation of ['reserve-seat', 'send-confirmation']) await ledger.setOwner(operation, OWNER);

  const lines: Line[] = [];
  let passed = 0;
  for (const [index, one] of cases.entries()) {
    caseHead(index + 1, one);
    const without = await playWithout(one, ledger);
    const guarded = await playWith(one, ledger);
    if ([without, ...guarded].every(({ asPromised }) => asPromised)) passed += 1;
    lines.push({ title: one.title, without, with: guarded });
  }
  summary(lines);
  return { passed, failed: cases.length - passed };
}

async function playWithout(one: Case, ledger: LedgerProcess): Promise<Verdict> {
  return inScene(one, false, ledger, async (scene) => {
    await one.play(scene);
    const effects = scene.effects(one.events);
    const verdict = judgeUnguarded(effects, one.intended, one.damage);
    row({ label: 'without the guards', effects, verdict, decisions: [], reason: null });
    return verdict;
  });
}

async function playWith(one: Case, ledger: LedgerProcess): Promise<Verdict[]> {
  return inScene(one, true, ledger, async (scene) => {
    await one.play(scene);
    const first = await judge(one, scene, 'with the guards');
    if (one.resolve === undefined) return [first];
    say();
    paragraph(one.resolve.title, '    ');
    await one.resolve.play(scene);
    return [first, await judge(one, scene, 'with the guards, then', true)];
  });
}

/** @param isResolved nothing may be left for anybody to look up */
async function judge(one: Case, scene: Scene, label: string, isResolved = false): Promise<Verdict> {
  const effects = scene.effects(one.events);
  const found = judgeGuarded(effects, one.intended, await scene.states(one.events));
  const verdict = isResolved && found.kind === 'review' ? { ...found, asPromised: false } : found;
  row({ label, effects, verdict, ...scene.decisions.take() });
  return verdict;
}

async function inScene<T>(
  { options, mailTimeoutMs }: Case,
  guarded: boolean,
  ledger: LedgerProcess,
  play: (scene: Scene) => Promise<T>,
): Promise<T> {
  const scene = await Scene.open({ guarded, ledger, options, mailTimeoutMs });
  try {
    return await play(scene);
  } finally {
    await scene.close();
  }
}
