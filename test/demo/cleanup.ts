/** What was started and must be ended, the last first. Whoever asks again waits for the same end. */
export class Cleanup {
  private readonly steps: (() => unknown)[] = [];
  private ending: Promise<void> | undefined;

  add(step: () => unknown): void {
    this.steps.push(step);
  }

  run(): Promise<void> {
    this.ending ??= this.end();
    return this.ending;
  }

  private async end(): Promise<void> {
    for (let step = this.steps.pop(); step !== undefined; step = this.steps.pop()) {
      try {
        await step();
      } catch (error) {
        console.error(`Cleaning up: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
}
