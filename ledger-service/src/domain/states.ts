/**
 * The states of an action. `none` is the absence of an action: it is what a key is before the first claim, and it is
 * never stored.
 */
export const STATES = ['none', 'pending', 'in_progress', 'confirmed', 'failed', 'unknown'] as const;
export type State = (typeof STATES)[number];

/** What is stored. The numbers are the database's `smallint` codes; they are never renumbered. */
export const STATE_CODES = { pending: 1, in_progress: 2, confirmed: 3, failed: 4, unknown: 5 } as const;
export type StoredState = keyof typeof STATE_CODES;

const BY_CODE = new Map<number, StoredState>(
  Object.entries(STATE_CODES).map(([state, code]) => [code, state as StoredState]),
);

export function stateOfCode(code: number): StoredState {
  const state = BY_CODE.get(code);
  if (state === undefined) throw new Error(`The stored state ${code} is not one this version knows`);
  return state;
}
