import type fc from 'fast-check';

/** Every run tries the same cases unless MODEL_SEED says otherwise; MODEL_PATH goes straight to one of them. */
const COMMITTED_SEED = 20_261_020;

export function seedOfRun(lane = 0): { seed: number; path?: string } {
  const { MODEL_SEED, MODEL_PATH } = process.env;
  const seed = MODEL_SEED === undefined ? COMMITTED_SEED + lane : Number(MODEL_SEED) + lane;
  if (!Number.isInteger(seed)) throw new Error(`MODEL_SEED is ${MODEL_SEED}, which is no whole number`);
  return MODEL_PATH === undefined ? { seed } : { seed, path: MODEL_PATH };
}

/** Fails with the shortest case that was found, in readable lines, and with what replays it. */
export function told<T>(details: fc.RunDetails<T>): void {
  if (!details.failed) return;
  const { seed, counterexamplePath, numRuns, numShrinks, errorInstance, interrupted } = details;
  const why = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  throw new Error(
    `${interrupted ? 'Interrupted. ' : ''}After ${numRuns} cases, shrunk ${numShrinks} times. ` +
      `Replay: MODEL_SEED=${seed} MODEL_PATH=${counterexamplePath ?? ''}\n${why}`,
    { cause: errorInstance },
  );
}
