import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { until } from '../../e2e/stack/until';
import { LedgerService } from './ledger-service';
import { ORDER_FILE, type PauseOrder } from './pause-when-told';

const PAUSED_SERVICE = path.join(__dirname, 'paused-service.ts');

/** A service that ends or stops itself at a pause point when it is told to. */
export class StoppableService {
  private ready: Promise<void> = Promise.resolve();

  private constructor(
    private readonly service: LedgerService,
    private readonly orderFile: string,
  ) {}

  static async start(name: string, databaseUrl: string, folder: string): Promise<StoppableService> {
    const orderFile = path.join(folder, `${name}.order`);
    const service = await LedgerService.start({
      databaseUrl,
      folder,
      // By its path: what the service itself imports is found from where it lies.
      program: ['--import', require.resolve('tsx'), PAUSED_SERVICE],
      env: { [ORDER_FILE]: orderFile },
    });
    return new StoppableService(service, orderFile);
  }

  get url(): string {
    return this.service.url;
  }

  /** Its process may still be on its way up, begun by `restart`. */
  async whenReady(): Promise<void> {
    await this.ready;
  }

  /** Tells the running service; it goes on until it passes the point. */
  tell(order: PauseOrder): void {
    this.write(order);
    this.service.signal('SIGUSR2');
  }

  /** Resolves when the order was carried out; until then `provoke` is done again and again. */
  async met({ point }: PauseOrder, provoke: () => Promise<unknown>): Promise<void> {
    const file = `${this.orderFile}.met`;
    let provoking = false;
    await until(
      () => {
        if (existsSync(file)) return true;
        if (!provoking) {
          provoking = true;
          // One that meets the end of the service fails, one that meets it stopped waits.
          void provoke()
            .catch(() => undefined)
            .finally(() => (provoking = false));
        }
        return false;
      },
      { what: `the service to pass "${point}"`, timeoutMs: 60_000, everyMs: 5 },
    );
    rmSync(file);
  }

  /** Ends the process as it is, and starts it with this order, which it carries out before it is ready. */
  async dieWhileStarting(order: PauseOrder): Promise<void> {
    await this.service.kill();
    this.write(order);
    // It never gets ready.
    const starting = this.service.start().catch(() => undefined);
    await this.met(order, () => Promise.resolve());
    await this.service.kill();
    await starting;
  }

  /** Begins to start it again after its end; `whenReady` tells when it is up. */
  async restart(): Promise<void> {
    await this.service.kill();
    this.ready = this.service.start();
    // Told by whenReady; until then nobody may be listening.
    this.ready.catch(() => undefined);
  }

  goOn(): void {
    this.service.signal('SIGCONT');
  }

  async stop(): Promise<void> {
    await this.service.kill();
  }

  private write(order: PauseOrder): void {
    rmSync(`${this.orderFile}.met`, { force: true });
    writeFileSync(this.orderFile, JSON.stringify(order));
  }
}
