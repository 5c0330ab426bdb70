import path from 'node:path';

import { type Run } from '../fault';
import { PatientCallers } from '../patient-callers';
import { LedgerService } from './ledger-service';
import { PostgresServer } from './postgres-server';
import { TcpProxy } from './tcp-proxy';

/** A ledger with a proxy between it and its PostgreSQL, and callers who measure how long it keeps them waiting. */
export interface ProxiedLedger {
  postgres: PostgresServer;
  proxy: TcpProxy;
  service: LedgerService;
  callers: PatientCallers;
}

export async function startProxiedLedger({ folder, atEnd }: Pick<Run, 'folder' | 'atEnd'>): Promise<ProxiedLedger> {
  const postgres = await PostgresServer.start(path.join(folder, 'data'));
  atEnd(() => postgres.stop());
  const proxy = await TcpProxy.before(postgres.url);
  atEnd(() => proxy.stop());
  const service = await LedgerService.start({ databaseUrl: proxy.through(postgres.url), folder });
  atEnd(() => service.stop());
  const callers = new PatientCallers({ url: service.url });
  atEnd(() => callers.stop());
  return { postgres, proxy, service, callers };
}

/** A ledger with a proxy between it and those who ask it. */
export interface LedgerWithProxiedCallers {
  postgres: PostgresServer;
  proxy: TcpProxy;
  service: LedgerService;
  /** Where it is reached by way of the proxy. */
  url: string;
}

export async function startLedgerWithProxiedCallers({
  folder,
  atEnd,
}: Pick<Run, 'folder' | 'atEnd'>): Promise<LedgerWithProxiedCallers> {
  const postgres = await PostgresServer.start(path.join(folder, 'data'));
  atEnd(() => postgres.stop());
  const service = await LedgerService.start({ databaseUrl: postgres.url, folder });
  atEnd(() => service.stop());
  const proxy = await TcpProxy.before(service.url);
  atEnd(() => proxy.stop());
  return { postgres, proxy, service, url: proxy.through(service.url) };
}
