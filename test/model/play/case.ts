import fc from 'fast-check';

import { ReferenceModel } from '../reference-model';
import { type Circumstances, claimMoves } from './claim-moves';
import { holderMoves } from './holder-moves';
import { type LedgerUnderTest } from './ledger-under-test';
import { type Move } from './moves';
import { configureMove, ownerMoves } from './owner-moves';
import { Play } from './play';

export interface Cases extends Circumstances {
  /** Times that may pass at once, in seconds. */
  pauses: readonly number[];
  longest: number;
  /** The ledger of the next case, and the name that makes its keys its own. */
  next: () => { name: string; ledger: LedgerUnderTest; ended?: (play: Play) => void };
  model?: ReferenceModel;
  /** Looks at what is kept after each command, so that a case ends with the command that went wrong. */
  looksAlways: boolean;
}

/** Any course of events: the operations are set, then everybody does anything. */
export function anyCase(cases: Cases): fc.IAsyncProperty<[Move[], Iterable<fc.AsyncCommand<Play, LedgerUnderTest>>]> {
  const moves = fc.oneof(...claimMoves(cases), ...holderMoves, ...ownerMoves(cases, cases.pauses));
  const commands = fc.commands([moves], { maxCommands: cases.longest, size: 'max' });
  const model = cases.model ?? new ReferenceModel();
  return fc.asyncProperty(fc.array(configureMove, { maxLength: 4 }), commands, async (settings, events) => {
    const { name, ledger, ended } = cases.next();
    // Leases that the case before has left to run out are no part of this one.
    await ledger.sweep();
    const play = new Play(name, model, ledger, cases.looksAlways);
    for (const setting of settings) await setting.run(play);
    await fc.asyncModelRun(() => ({ model: play, real: ledger }), events);
    await play.lookAtAll();
    ended?.(play);
  });
}
