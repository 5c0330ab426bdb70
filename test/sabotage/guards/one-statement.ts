import { type Guard } from '../guard';

const WRITE = 'ledger-service/src/store/write-statement.ts';
const TABLES = 'ledger-service/src/store/migrations/0001_ledger.sql';
const RACES = 'test/service/pause/second-ledger.test.ts';

/** What the statement that writes, and the tables, hold together. */
export const STATEMENT_GUARDS: readonly Guard[] = [
  {
    name: 'one row per action',
    why: 'Two first claims at once are both taken to be the first; the primary key lets one be it',
    patches: [
      {
        file: TABLES,
        find: '  PRIMARY KEY (workspace_no, id),\n  -- A lease without',
        replace: '  -- A lease without',
      },
    ],
    file: RACES,
    tests: 'a first claim and another$',
  },
  {
    name: 'the revision of an action (both checks)',
    why: 'What was decided on an older state is not written. Locking and updating compare it; either alone suffices',
    patches: [
      { file: WRITE, find: '  WHERE NOT i.is_new AND a.revision = i.expected\n', replace: '  WHERE NOT i.is_new\n' },
      { file: WRITE, find: 'AND a.id = i.id AND a.revision = i.expected\n', replace: 'AND a.id = i.id\n' },
    ],
    file: RACES,
    tests: 'a claim of a failed action and another',
  },
  {
    name: 'the revision of the policy',
    why: 'Nothing is granted under a policy that has been replaced',
    patches: [{ file: WRITE, find: '(i.policy_revision IS NULL OR', replace: '(true OR i.policy_revision IS NULL OR' }],
    file: RACES,
    tests: 'a first claim and another policy',
  },
  {
    name: 'the newest subject version',
    why: 'Nothing is granted for an older version than one that has been seen since',
    patches: [{ file: WRITE, find: '(i.stream_id IS NULL OR', replace: '(true OR i.stream_id IS NULL OR' }],
    file: RACES,
    tests: 'a first claim with a subject version',
  },
  {
    name: 'the clock after the locks',
    why: 'A lease begins when its statement has its locks: one that waited is not born expired',
    patches: [
      {
        file: WRITE,
        find: 'SELECT clock_timestamp() AS now FROM (',
        replace: 'SELECT statement_timestamp() AS now FROM (',
      },
    ],
    file: 'test/service/store/lease-birth.test.ts',
    tests: 'the claim waited for the row',
  },
  {
    name: 'the counts of written rows',
    why: 'A statement whose parts did not all write is undone',
    patches: [{ file: TABLES, find: 'IF holds IS NOT TRUE THEN', replace: 'IF false THEN' }],
    file: 'test/service/store/row-counts.test.ts',
    tests: 'is missing is none|is not confirmed',
  },
  {
    name: 'the append-only history',
    why: 'What happened cannot be rewritten, not even by the owner of the table',
    patches: [{ file: TABLES, find: "IF current_user <> 'action_ledger_retention' THEN", replace: 'IF false THEN' }],
    file: 'test/service/store/histories.test.ts',
    tests: 'is refused to a superuser',
  },
  {
    name: "the database's clock",
    why: 'Leases are over when the database says so, whatever the clock of the service',
    patches: [{ file: 'ledger-service/src/store/read-actions.ts', find: 'now: row.now,', replace: 'now: Date.now(),' }],
    file: 'test/service/store/wrong-clock.test.ts',
    tests: 'a lease',
  },
  {
    name: 'the workspace in the key',
    why: "One tenant's action is never another's",
    patches: [
      {
        file: 'ledger-service/src/store/read-actions.ts',
        find: 'ON a.workspace_no = i.workspace_no AND a.id = i.id\n',
        replace: 'ON a.id = i.id\n',
      },
    ],
    file: 'test/service/store/workspaces.test.ts',
    tests: 'workspace',
  },
];
