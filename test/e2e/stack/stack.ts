import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { BookingSystem, MailSystem } from '../../destinations';
import { createTestDatabase } from '../../setup/database';
import startPostgres from '../../setup/start-postgres';
import stopPostgres from '../../setup/stop-postgres';
import { readTemplate } from '../workflow/template';
import { endAllProcesses } from './child-process';
import { LedgerGate } from './ledger-gate';
import { LedgerServer } from './ledger-server';
import { queueEnvironment } from './n8n-environment';
import { installN8n } from './n8n-installation';
import type { N8nOptions, N8nProcess } from './n8n-process';
import { N8nServer, N8nWorker } from './n8n-server';
import { N8nSession, type CredentialReference } from './n8n-session';
import { installNodes, packNodes } from './packed-nodes';
import { RedisServer } from './redis-server';

/** One n8n process that does everything, or one that takes the webhooks and two workers that run the executions. */
export type Mode = 'single' | 'queue';

/** Which credential a node of a type uses in these tests. */
export type Credentials = Record<'actionLedgerApi' | 'smtp', CredentialReference>;

/** Everything that the end-to-end tests run against; made once for all of them. */
export class Stack {
  booking!: BookingSystem;
  mail!: MailSystem;
  ledger!: LedgerServer;
  /** A second way to the ledger, on which calls can be held; used by workflows with the credential `gated`. */
  gate!: LedgerGate;
  n8n!: N8nServer;
  /** In queue mode only. */
  workers: N8nWorker[] = [];
  redis: RedisServer | undefined;
  /** n8n's REST API, signed in as the owner: what the editor would do. */
  editor!: N8nSession;
  credentials!: Credentials;
  gated!: Credentials;
  readonly apiKey = `al_${randomBytes(24).toString('base64url')}`;
  private readonly cleanUps: (() => Promise<unknown> | void)[] = [];
  private stopping: Promise<void> | undefined;

  constructor(readonly mode: Mode) {}

  /** All of n8n. */
  get processes(): N8nProcess[] {
    return [this.n8n, ...this.workers];
  }

  async start(): Promise<void> {
    const logs = join(__dirname, '..', '..', '..', '.cache', 'e2e', this.mode);
    rmSync(logs, { recursive: true, force: true });
    mkdirSync(logs, { recursive: true });
    const folder = mkdtempSync(join(tmpdir(), 'action-ledger-e2e-'));
    const removeFolder = (): void => rmSync(folder, { recursive: true, force: true });
    process.once('exit', removeFolder);
    this.cleanUps.push(removeFolder);

    const installation = await timed('n8n installed', () => installN8n(join(logs, 'install-n8n.log')));
    const tarball = await timed('nodes packed', () => packNodes(join(folder, 'packed'), join(logs, 'pack.log')));
    await timed('nodes installed', () => installNodes(folder, tarball, join(logs, 'install-nodes.log')));

    await startPostgres();
    this.cleanUps.push(stopPostgres);
    const databases = { n8n: await createTestDatabase(), ledger: await createTestDatabase() };
    this.cleanUps.push(
      () => databases.n8n.drop(),
      () => databases.ledger.drop(),
    );

    this.booking = await BookingSystem.start();
    this.cleanUps.push(() => this.booking.stop());
    this.mail = await MailSystem.start();
    this.cleanUps.push(() => this.mail.stop());

    this.cleanUps.push(endAllProcesses);
    this.ledger = await timed('ledger started', () =>
      LedgerServer.start({ databaseUrl: databases.ledger.url, apiKey: this.apiKey, logFile: join(logs, 'ledger.log') }),
    );
    this.cleanUps.push(() => this.ledger.stop());
    this.gate = await LedgerGate.start(this.ledger.url);
    this.cleanUps.push(() => this.gate.stop());
    const options = {
      installation,
      userFolder: folder,
      databaseUrl: databases.n8n.url,
      logFile: join(logs, 'n8n.log'),
    };
    await (this.mode === 'queue' ? this.startQueue(options) : this.startServer(options));

    this.editor = new N8nSession(this.n8n.url);
    await this.editor.setUpOwner();
    this.credentials = await this.createCredentials();
    this.gated = {
      ...this.credentials,
      actionLedgerApi: await this.createLedgerCredential('Action Ledger behind the gate', this.gate.url),
    };
    await timed('workshop workflow imported and published', () => this.importTemplate('workshop-booking', folder));
  }

  private async startServer(options: N8nOptions): Promise<void> {
    this.n8n = await timed('n8n started', () => N8nServer.start(options));
    this.cleanUps.push(() => this.n8n.stop());
  }

  /** The server first: it makes n8n's tables, and the workers need them. */
  private async startQueue({ userFolder, logFile, ...options }: N8nOptions): Promise<void> {
    const redis = await RedisServer.start(userFolder, logFile.replace('n8n.log', 'redis.log'));
    this.redis = redis;
    this.cleanUps.push(() => redis.stop());
    const environment = queueEnvironment(redis.port);
    await this.startServer({ ...options, userFolder, logFile, environment });
    await timed('two workers started', async () => {
      const starting = [1, 2].map((number) => {
        const folder = join(userFolder, `worker-${number}`);
        cpSync(join(userFolder, '.n8n', 'nodes'), join(folder, '.n8n', 'nodes'), { recursive: true });
        const ownLog = logFile.replace('n8n.log', `worker-${number}.log`);
        return N8nWorker.start({ ...options, userFolder: folder, logFile: ownLog, environment });
      });
      this.workers = await Promise.all(starting);
      this.cleanUps.push(() => Promise.all(this.workers.map((worker) => worker.stop())));
    });
  }

  /** As systemd or Docker does it with a process that gave up. */
  async restartWhatEnded(): Promise<void> {
    await Promise.all(this.processes.filter((one) => one.hasEnded).map((one) => one.start()));
  }

  /**
   * As an administrator does it: `n8n import:workflow --input=…`, then published. That command takes as long as a start
   * of n8n; once is enough, and in queue mode the file goes in as by the editor.
   */
  private async importTemplate(name: string, folder: string): Promise<void> {
    const template = await readTemplate(name, this);
    if (this.mode === 'queue') {
      await this.editor.publish((await this.editor.createWorkflow(template)).id);
      return;
    }
    const file = join(folder, `${name}.json`);
    const id = `${name}-template`;
    writeFileSync(file, JSON.stringify({ ...template, id }));
    await this.n8n.command('import:workflow', `--input=${file}`);
    await this.editor.publish(id);
  }

  /** Undoes the start, in reverse, as far as it came. One part that does not end keeps no other running. */
  stop(): Promise<void> {
    this.stopping ??= (async () => {
      const failures: unknown[] = [];
      for (const cleanUp of this.cleanUps.reverse()) {
        try {
          await cleanUp();
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0) throw new AggregateError(failures, 'Not everything that was started could be ended');
    })();
    return this.stopping;
  }

  private createLedgerCredential(name: string, baseUrl: string): Promise<CredentialReference> {
    return this.editor.createCredential(name, 'actionLedgerApi', { baseUrl, apiKey: this.apiKey });
  }

  private async createCredentials(): Promise<Credentials> {
    return {
      actionLedgerApi: await this.createLedgerCredential('Action Ledger', this.ledger.url),
      smtp: await this.editor.createCredential('Mail server', 'smtp', {
        host: '127.0.0.1',
        port: this.mail.smtpPort,
        secure: false,
        disableStartTls: true,
        user: '',
        password: '',
        hostName: '',
      }),
    };
  }
}

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const started = Date.now();
  const result = await work();
  process.stderr.write(`${what} (${((Date.now() - started) / 1_000).toFixed(1)} s)\n`);
  return result;
}
