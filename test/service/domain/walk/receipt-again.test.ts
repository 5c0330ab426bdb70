import { SITUATION_NAMES, type SituationName } from '../situations';
import { type Story } from '../story';
import { type Expected, walk } from './walk';

/** Situations on whose way there was a receipt, and the kind of its entry. */
const RECEIPTS: Partial<Record<SituationName, string>> = {
  'in progress: after a failed attempt': 'receipt_failed',
  'in progress: effect seen, lease live': 'receipt_confirmed',
  'in progress: effect seen, lease over': 'receipt_confirmed',
  'confirmed: by receipt': 'receipt_confirmed',
  'confirmed: by a receipt without reference': 'receipt_confirmed',
  'confirmed: by the second attempt': 'receipt_confirmed',
  'confirmed: by an older attempt': 'receipt_failed',
  'failed: by receipt': 'receipt_failed',
  'failed: twice': 'receipt_failed',
  'failed: as often as allowed': 'receipt_failed',
  'failed: no other attempt allowed': 'receipt_failed',
  'unknown: by receipt': 'receipt_unknown',
  'unknown: a repeat was refused': 'receipt_failed',
  'unknown: after a failed attempt': 'receipt_failed',
  'unknown: it was failed first': 'receipt_unknown',
  'unknown: overridden': 'receipt_confirmed',
};
const impossible = {
  because: 'no receipt was recorded yet',
  in: SITUATION_NAMES.filter((name) => RECEIPTS[name] === undefined),
};

const NO_ROW = { result: 'no row of the table' };

const lastReceipt = (story: Story) => story.receipts.at(-1)!;

walk('the same receipt again', {
  run: async (story) => (await story.open.ledger.receipts(story.open.workspaceNo, [lastReceipt(story)]))[0],
  impossible,
  table: Object.fromEntries(
    Object.keys(RECEIPTS).map((name) => [name, { answer: { result: 'recorded', replayed: true }, repeated: true }]),
  ),
  otherwise: NO_ROW,
});

const evidenceAdded = (state: SituationName, kind: string): Expected => {
  const to = state.split(':')[0]!.replace(' ', '_') as NonNullable<Expected['to']>;
  return {
    answer: { result: 'recorded', replayed: true, state: to },
    to,
    history: [{ kind, from: to, to }],
    also: (after, _story, before) => {
      expect(after.history.at(-1)?.details).toMatchObject({ evidence: { page: 'bookings/12' } });
      expect(after.contradictions).toEqual(before?.contradictions);
    },
  };
};

walk('the same receipt again with other evidence', {
  run: async (story) => {
    const receipt = { ...lastReceipt(story), evidence: { page: 'bookings/12' } };
    return (await story.open.ledger.receipts(story.open.workspaceNo, [receipt]))[0];
  },
  impossible,
  table: Object.fromEntries(
    Object.entries(RECEIPTS).map(([name, kind]) => [name, evidenceAdded(name as SituationName, kind)]),
  ),
  otherwise: NO_ROW,
});
