export type EmbeddedPostgresErrorCode =
  | 'unsupported_platform'
  | 'binaries_missing'
  | 'binaries_unusable'
  | 'os_user_missing'
  | 'folder_unreachable'
  | 'folder_foreign'
  | 'folder_in_use'
  | 'no_cluster'
  | 'version_mismatch'
  | 'initdb_failed'
  | 'port_in_use'
  | 'start_failed'
  | 'stop_failed';

/** The embedded PostgreSQL could not be used. The message says what was not done and what to do next. */
export class EmbeddedPostgresError extends Error {
  constructor(
    readonly code: EmbeddedPostgresErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'EmbeddedPostgresError';
  }
}
