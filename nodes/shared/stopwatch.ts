/**
 * Time that has passed, by the clock that runs ahead: the monotonic one does not count a machine's sleep, the wall
 * clock can be set back. A lease must not look younger than it is.
 */
export class Stopwatch {
  private readonly wall = Date.now();

  private readonly monotonic = performance.now();

  elapsedMs(): number {
    return Math.max(Date.now() - this.wall, performance.now() - this.monotonic);
  }
}
