import { createHash, randomBytes } from 'node:crypto';

import { LRUCache } from 'lru-cache';

import { type Database } from './database';

export const SCOPES = ['claim', 'receipt', 'reconcile', 'read', 'inbox', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

export interface ApiKey {
  no: number;
  name: string;
  workspaceNo: number;
  workspace: string;
  scopes: Scope[];
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
}

const COLUMNS = `k.no, k.name, k.workspace_no AS "workspaceNo", w.name AS workspace, k.scopes, k.created_at AS "createdAt",
  k.expires_at AS "expiresAt", k.revoked_at AS "revokedAt"`;

const FIND = `
SELECT ${COLUMNS}, (extract(epoch FROM k.expires_at - clock_timestamp()) * 1000)::float8 AS "validMs"
FROM action_ledger.api_keys k JOIN action_ledger.workspaces w ON w.no = k.workspace_no
WHERE k.hash = $1 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())`;

const CREATE = `
WITH made AS (
  INSERT INTO action_ledger.workspaces (name) VALUES ($1) ON CONFLICT (name) DO UPDATE SET name = excluded.name
  RETURNING no, name
), k AS (
  INSERT INTO action_ledger.api_keys (workspace_no, name, hash, scopes, expires_at)
  SELECT no, $2, $3, $4, $5 FROM made ON CONFLICT (hash) DO NOTHING RETURNING *
)
SELECT ${COLUMNS} FROM k JOIN made w ON w.no = k.workspace_no`;

const hashOf = (key: string): Buffer => createHash('sha256').update(key).digest();

/** A key is asked for with every request; what was read is kept this long, so a revoked key ends within it. */
export const KEY_MEMORY_MS = 2_000;

/** API keys: random, shown once, stored as their SHA-256, bound to one workspace. */
export class ApiKeys {
  private readonly known = new LRUCache<string, ApiKey>({ max: 10_000, ttl: KEY_MEMORY_MS });

  private readonly lookUps = new Map<string, Promise<ApiKey | undefined>>();

  constructor(private readonly database: Database) {}

  /** The key behind a bearer token; undefined if there is none that is valid now. */
  async find(secret: string): Promise<ApiKey | undefined> {
    const hash = hashOf(secret);
    const cacheKey = hash.toString('base64');
    const known = this.known.get(cacheKey);
    if (known !== undefined) return known;
    // One look-up for all who ask at the same moment: each would take a connection of its own.
    let lookUp = this.lookUps.get(cacheKey);
    if (lookUp === undefined) {
      lookUp = this.lookUp(hash, cacheKey).finally(() => this.lookUps.delete(cacheKey));
      this.lookUps.set(cacheKey, lookUp);
    }
    return lookUp;
  }

  private async lookUp(hash: Buffer, cacheKey: string): Promise<ApiKey | undefined> {
    const { rows } = await this.database.query<ApiKey & { validMs: number | null }>(FIND, [hash]);
    const [row] = rows;
    if (row === undefined) return undefined;
    const { validMs, ...key } = row;
    // The database said how long it is still valid; the memory counts on its own clock, which only measures.
    this.known.set(cacheKey, key, { ttl: Math.max(1, Math.min(KEY_MEMORY_MS, validMs ?? KEY_MEMORY_MS)) });
    return key;
  }

  /** Makes a key and, where it is new, its workspace. The secret is in the answer and nowhere else. */
  async create(options: {
    name: string;
    workspace: string;
    scopes: readonly Scope[];
    expiresAt?: Date;
  }): Promise<{ secret: string; key: ApiKey }> {
    const secret = `al_${randomBytes(32).toString('base64url')}`;
    const key = await this.insert(secret, options);
    if (key === undefined) throw new Error('The new key was not stored');
    return { secret, key };
  }

  /** Stores a key that the operator chose (`ACTION_LEDGER_API_KEY`); does nothing where it is there already. */
  async adopt(secret: string, options: { name: string; workspace: string; scopes: readonly Scope[] }): Promise<void> {
    await this.insert(secret, options);
  }

  private async insert(
    secret: string,
    options: { name: string; workspace: string; scopes: readonly Scope[]; expiresAt?: Date },
  ): Promise<ApiKey | undefined> {
    const { rows } = await this.database.query<ApiKey>(CREATE, [
      options.workspace,
      options.name,
      hashOf(secret),
      options.scopes,
      options.expiresAt ?? null,
    ]);
    return rows[0];
  }

  async list(): Promise<ApiKey[]> {
    const { rows } = await this.database.query<ApiKey>(
      `SELECT ${COLUMNS} FROM action_ledger.api_keys k JOIN action_ledger.workspaces w ON w.no = k.workspace_no ORDER BY k.no`,
    );
    return rows;
  }

  /** Whether the number was a key that is revoked now. */
  async revoke(no: number): Promise<boolean> {
    const { rowCount } = await this.database.query(
      'UPDATE action_ledger.api_keys SET revoked_at = coalesce(revoked_at, clock_timestamp()) WHERE no = $1',
      [no],
    );
    this.known.clear();
    return rowCount === 1;
  }
}
