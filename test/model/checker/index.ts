/** Linearizability of what callers were answered, action by action. `checkHistory` is the way in. */
export { checkHistory, type Verdict } from './check-history';
export * from './history';
export { type AnswerTo, type Checked, HistoryRecorder, type Refusal } from './record-history';
