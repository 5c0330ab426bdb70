import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

const command = path.resolve(__dirname, '../../ledger-service/dist/cli/main.js');

/** What an action looks like to a support person's tools. */
export interface ActionView {
  actionId: string;
  actionKey: string;
  state: 'pending' | 'in_progress' | 'confirmed' | 'failed' | 'unknown';
}

/** `action-ledger serve` as a user runs it, with a PostgreSQL of its own in a folder of its own. */
export class LedgerProcess {
  private constructor(
    readonly url: string,
    readonly apiKey: string,
  ) {}

  /** @param onSpawn called at once, so that the process can be ended while it is still starting */
  static async start(dataFolder: string, onSpawn: (child: ChildProcess) => void): Promise<LedgerProcess> {
    const apiKey = `al_${randomBytes(24).toString('base64url')}`;
    // A group of its own: Ctrl-C is for the demo, which ends the ledger when nobody asks it any more.
    const child = spawn(process.execPath, [command, 'serve', '--port', '0', '--data', dataFolder, '--init'], {
      // Not the user's own ledger, should the environment name one.
      env: {
        ...process.env,
        DATABASE_URL: '',
        DATABASE_DIRECT_URL: '',
        ACTION_LEDGER_API_KEY: apiKey,
        LOG_LEVEL: 'info',
      },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onSpawn(child);
    return new LedgerProcess(await addressOf(child), apiKey);
  }

  /** As an implementer does before the launch: who looks after what nobody knows. */
  async setOwner(operation: string, owner: string): Promise<void> {
    await this.call('PUT', `/v1/operations/${operation}`, { owner });
  }

  async action(subject: string, operation: string): Promise<ActionView | undefined> {
    const query = new URLSearchParams({ subject, operation });
    const { actions } = await this.call<{ actions: ActionView[] }>('GET', `/v1/actions?${query.toString()}`);
    return actions[0];
  }

  private async call<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.apiKey}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`The ledger answered ${response.status} to ${method} ${path}: ${text}`);
    return JSON.parse(text) as T;
  }
}

export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** The ledger says where it listens in its log, which is one JSON object a line. */
async function addressOf(child: ChildProcess): Promise<string> {
  const said: string[] = [];
  child.stderr?.on('data', (chunk: Buffer) => said.push(chunk.toString()));
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    lines.on('line', (line) => {
      const { msg, url } = readLine(line);
      said.push(`${msg}\n`);
      if (msg === 'listening' && url !== undefined) resolve(url);
    });
    child.once('exit', (code, signal) => {
      reject(new Error(`The ledger did not start (it ended with ${code ?? signal}). It said:\n${said.join('')}`));
    });
  });
}

/** What is no JSON is something that Node.js itself has to say. */
function readLine(line: string): { msg: string; url?: string } {
  try {
    return JSON.parse(line) as { msg: string; url?: string };
  } catch {
    return { msg: line };
  }
}
