import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';

const root = path.resolve(__dirname, '../../..');
const main = path.join(root, 'ledger-service/src/cli/main.ts');
// By its path: the commands run in folders of their own, from where it would not be found.
const tsx = require.resolve('tsx');

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface CommandOptions {
  env?: Record<string, string>;
  cwd?: string;
}

/** The command as an operator runs it, from its sources. */
export class CommandLine {
  stdout = '';
  stderr = '';
  readonly ended: Promise<Ended>;
  private readonly child: ChildProcess;

  constructor(args: readonly string[], { env = {}, cwd = root }: CommandOptions = {}) {
    const child = spawn(process.execPath, ['--import', tsx, main, ...args], {
      cwd,
      // Nothing of ours: a DATABASE_URL in the environment would be taken for the ledger's.
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    child.stdout.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.ended = new Promise((resolve) => {
      child.once('close', (code) => {
        resolve({ code, stdout: this.stdout, stderr: this.stderr });
      });
    });
  }

  static run(args: readonly string[], options?: CommandOptions): Promise<Ended> {
    return new CommandLine(args, options).ended;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  get running(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** The facts of the first log line with this message. */
  async logged(message: string): Promise<Record<string, unknown>> {
    for (;;) {
      const line = this.log.find(({ msg }) => msg === message);
      if (line !== undefined) return line;
      if (!this.running)
        throw new Error(`The command ended before it said "${message}":\n${this.stdout}\n${this.stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** The log so far; a line that is not JSON makes this throw. */
  get log(): Record<string, unknown>[] {
    return this.stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }
}
