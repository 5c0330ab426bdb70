import { type ClientConfig } from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';

/**
 * The hosts of a connection string, in order. libpq's form with several hosts (`postgres://u@h1:5432,h2:5433/db`,
 * PostgreSQL manual 34.1.1.2) is more than `pg`'s parser takes, so each host is parsed as a string of its own.
 */
export function parseHosts(url: string): ClientConfig[] {
  const parts = /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?]*)(.*)$/.exec(url);
  if (parts === null) {
    throw new Error('DATABASE_URL is not of the form postgres://user:password@host:port/database');
  }
  const [, head = '', hosts = '', tail = ''] = parts;
  return hosts.split(',').map((host) => parseIntoClientConfig(head + host + tail));
}
