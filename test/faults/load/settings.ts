export interface LoadSettings {
  /** Actions asked for in one injection. */
  actions: number;
  /** Workers at once. */
  workers: number;
  /** How long a worker has for its step, by the ledger. */
  leaseSeconds: number;
  /** One call's patience and one question's, in milliseconds. */
  callMs: number;
  patienceMs: number;
  /** Of a hundred deliveries, how many arrive twice or three times. */
  repeatedPercent: number;
  /** How many deliveries a worker handles in one go, from and to. */
  itemsPerCall: readonly [number, number];
  /** How long the step takes, in milliseconds, from and to. */
  stepMs: readonly [number, number];
  /** How far the workers' own clocks are off, in milliseconds: what they say of when an event was is off by as much. */
  clockErrorMs: number;
}

export const USUAL_LOAD: LoadSettings = {
  actions: 400,
  workers: 32,
  leaseSeconds: 5,
  callMs: 5_000,
  patienceMs: 60_000,
  repeatedPercent: 20,
  itemsPerCall: [1, 5],
  stepMs: [0, 10],
  clockErrorMs: 0,
};

export const OPERATION = 'reserve-seat';
