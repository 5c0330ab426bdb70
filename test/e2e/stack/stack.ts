import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { BookingSystem, MailSystem } from '../../destinations';
import { createTestDatabase } from '../../setup/database';
import startPostgres from '../../setup/start-postgres';
import stopPostgres from '../../setup/stop-postgres';
import { readTemplate } from '../workflow/template';
import { endAllProcesses } from './child-process';
import { LedgerServer } from './ledger-server';
import { installN8n } from './n8n-installation';
import { N8nServer } from './n8n-server';
import { N8nSession, type CredentialReference } from './n8n-session';
import { installNodes, packNodes } from './packed-nodes';

const logs = join(__dirname, '..', '..', '..', '.cache', 'e2e');

/** Which credential a node of a type uses in these tests. */
export type Credentials = Record<'actionLedgerApi' | 'smtp', CredentialReference>;

/** Everything that the end-to-end tests run against; made once for all of them. */
export class Stack {
  booking!: BookingSystem;
  mail!: MailSystem;
  ledger!: LedgerServer;
  n8n!: N8nServer;
  /** n8n's REST API, signed in as the owner: what the editor would do. */
  editor!: N8nSession;
  credentials!: Credentials;
  readonly apiKey = `al_${randomBytes(24).toString('base64url')}`;
  private readonly cleanUps: (() => Promise<unknown> | void)[] = [];
  private stopping: Promise<void> | undefined;

  async start(): Promise<void> {
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
    this.n8n = await timed('n8n started', () =>
      N8nServer.start({
        installation,
        userFolder: folder,
        databaseUrl: databases.n8n.url,
        logFile: join(logs, 'n8n.log'),
      }),
    );
    this.cleanUps.push(() => this.n8n.stop());

    this.editor = new N8nSession(this.n8n.url);
    await this.editor.setUpOwner();
    this.credentials = await this.createCredentials();
    await timed('workshop workflow imported and published', () => this.importTemplate('workshop-booking', folder));
  }

  /** As an administrator does it: `n8n import:workflow --input=…`, then published. Gives the workflow's ID. */
  async importTemplate(name: string, folder: string): Promise<string> {
    const file = join(folder, `${name}.json`);
    const id = `${name}-template`;
    writeFileSync(file, JSON.stringify({ ...(await readTemplate(name, this)), id }));
    await this.n8n.command('import:workflow', `--input=${file}`);
    await this.editor.publish(id);
    return id;
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

  private async createCredentials(): Promise<Credentials> {
    return {
      actionLedgerApi: await this.editor.createCredential('Action Ledger', 'actionLedgerApi', {
        baseUrl: this.ledger.url,
        apiKey: this.apiKey,
      }),
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
