/** What every n8n process is told, whatever its role; the paths and ports are its own. */
export interface EnvironmentOptions {
  userFolder: string;
  databaseUrl: string;
  /** The port at which this process's task runners find it; two processes on one machine need two. */
  runnersPort: number;
  /** What only some roles need: the editor's port, the queue. */
  more?: NodeJS.ProcessEnv;
}

export function n8nEnvironment({ userFolder, databaseUrl, runnersPort, more }: EnvironmentOptions): NodeJS.ProcessEnv {
  const database = new URL(databaseUrl);
  return {
    PATH: process.env.PATH,
    HOME: userFolder,
    TZ: 'UTC',
    N8N_USER_FOLDER: userFolder,
    N8N_ENCRYPTION_KEY: 'only-for-these-tests',
    N8N_LISTEN_ADDRESS: '127.0.0.1',
    N8N_RUNNERS_BROKER_PORT: String(runnersPort),
    N8N_SECURE_COOKIE: 'false',
    N8N_DIAGNOSTICS_ENABLED: 'false',
    N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
    N8N_TEMPLATES_ENABLED: 'false',
    N8N_PERSONALIZATION_ENABLED: 'false',
    N8N_HIRING_BANNER_ENABLED: 'false',
    // Parts of n8n that call out to the internet at every start and have nothing to do with running a workflow.
    N8N_VERIFIED_PACKAGES_ENABLED: 'false',
    N8N_DISABLED_MODULES: 'mcp-registry,instance-ai,agents,chat-hub,insights',
    DB_TYPE: 'postgresdb',
    DB_POSTGRESDB_HOST: database.hostname,
    DB_POSTGRESDB_PORT: database.port || '5432',
    DB_POSTGRESDB_DATABASE: database.pathname.slice(1),
    DB_POSTGRESDB_USER: decodeURIComponent(database.username) || 'postgres',
    DB_POSTGRESDB_PASSWORD: decodeURIComponent(database.password),
    N8N_LOG_LEVEL: 'info',
    // On a busy machine n8n would give up on its database and on its own task runner while everything is well.
    DB_PING_TIMEOUT_MS: '60000',
    DB_POSTGRESDB_CONNECTION_TIMEOUT: '120000',
    N8N_RUNNERS_GRANT_TOKEN_TTL: '300',
    ...more,
  };
}

/**
 * Queue mode as n8n's documentation sets it up, with two of its settings shortened: how long a worker that was killed
 * holds its jobs (a minute by default), and how often the others look for such jobs (every 30 seconds).
 */
export function queueEnvironment(redisPort: number): NodeJS.ProcessEnv {
  return {
    EXECUTIONS_MODE: 'queue',
    QUEUE_BULL_REDIS_HOST: '127.0.0.1',
    QUEUE_BULL_REDIS_PORT: String(redisPort),
    QUEUE_WORKER_LOCK_DURATION: '15000',
    QUEUE_WORKER_LOCK_RENEW_TIME: '3000',
    QUEUE_WORKER_STALLED_INTERVAL: '2000',
    // A process that cannot reach Redis for so long ends itself; a Redis that starts again is back sooner.
    QUEUE_BULL_REDIS_TIMEOUT_THRESHOLD: '60000',
  };
}
