import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import { PAUSE_POINTS } from '../../../ledger-service/src/store/pause-point';

// The compiler on a busy machine.
jest.setTimeout(180_000);

const service = path.resolve(__dirname, '../../../ledger-service');

const filesUnder = (folder: string, ending: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(ending));

/** Where the service may be stopped: an await in the source, after which another may have acted. */
const PLACES: Record<string, readonly string[]> = {
  'http/authentication.ts': ['API key found'],
  'http/routes/batch-route.ts': ['batch results known'],
  'http/routes/held-claims.ts': ['end of execution recorded'],
  'http/routes/reconciliation.ts': [
    'operation of the lease found',
    'due actions taken',
    'action to resolve found',
    'resolution recorded',
    'action to override found',
    'override recorded',
  ],
  'store/batcher.ts': ['caller told', 'batch chosen', 'batch settled', 'batch failed', 'batch tried again'],
  'store/configure-operation.ts': ['policy ensured', 'policy found', 'policy saved'],
  'store/database.ts': [
    'transaction begun',
    'transaction ready to commit',
    'transaction committed',
    'connected',
    'statement answered',
  ],
  'store/ledger.ts': ['held claims found', 'overdue leases found'],
  'store/log-event-claims.ts': ['event claims counted'],
  'store/move-subject-versions.ts': ['subject versions moved'],
  'store/operations.ts': ['operations looked for', 'operations made'],
  'store/reading.ts': ['due actions leased'],
  'store/settle-commands.ts': [
    'round over',
    'operations ensured',
    'actions read',
    'operations of the actions ensured',
    'newest versions known',
    'decided',
    'unchanged answers logged',
    'changes written',
    'followers logged',
  ],
  'store/wait-for-outcome.ts': ['first claims answered', 'woken', 'claims answered again'],
};

test('the sources have every pause point once, where it is expected', () => {
  const found: Record<string, string[]> = {};
  for (const name of filesUnder(path.join(service, 'src'), '.ts').sort()) {
    const points = [
      ...readFileSync(path.join(service, 'src', name), 'utf8').matchAll(/await pausePoint\('([^']+)'\);/g),
    ];
    if (points.length > 0) found[name] = points.map(([, point]) => point!);
  }
  expect(found).toEqual(PLACES);
  expect(Object.values(found).flat().sort()).toEqual([...PAUSE_POINTS].sort());
});

describe('what is built', () => {
  let built: string;
  beforeAll(async () => {
    built = mkdtempSync(path.join(os.tmpdir(), 'action-ledger-built-'));
    await promisify(execFile)(process.execPath, [path.join(service, 'scripts/compile.mjs'), built]);
  });
  afterAll(() => rmSync(built, { recursive: true, force: true }));

  test('is every source but the module of the pause points', () => {
    const sources = filesUnder(path.join(service, 'src'), '.ts').map((name) => name.replace(/\.ts$/, '.js'));
    expect(filesUnder(built, '.js').sort()).toEqual(
      sources.filter((name) => name !== path.join('store', 'pause-point.js')).sort(),
    );
  });

  test('has no trace of a pause point', () => {
    const traces = filesUnder(built, '')
      .filter((name) => /\.(js|map)$/.test(name))
      .filter((name) => {
        const text = readFileSync(path.join(built, name), 'utf8');
        return /pause-?point/i.test(text) || PAUSE_POINTS.some((point) => text.includes(`'${point}'`));
      });
    expect(traces).toEqual([]);
  });
});
