import { type Run } from '../fault';
import { LedgerService } from './ledger-service';
import { ReplicatedPair } from './replicated-pair';

/** Two services on the connection string of a replicated pair, as several replicas of the service run in production. */
export class ReplicatedLedger {
  private constructor(
    readonly pair: ReplicatedPair,
    readonly services: readonly LedgerService[],
  ) {}

  static async start(run: Run, { synchronous }: { synchronous: boolean }): Promise<ReplicatedLedger> {
    const { folder } = run;
    const pair = await ReplicatedPair.start(run, { synchronous });
    const services: LedgerService[] = [];
    for (let replica = 1; replica <= 2; replica++) {
      const service = await LedgerService.start({ databaseUrl: pair.url, folder });
      run.atEnd(() => service.stop());
      services.push(service);
    }
    return new ReplicatedLedger(pair, services);
  }

  get urls(): string[] {
    return this.services.map(({ url }) => url);
  }
}
