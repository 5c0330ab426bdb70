import { existsSync } from 'node:fs';
import path from 'node:path';

import { type Component } from './fault';

/** Where Debian puts programs that are not on everybody's PATH. */
const FOLDERS = [...(process.env['PATH'] ?? '').split(path.delimiter), '/usr/sbin', '/usr/bin', '/usr/local/bin'];
const POSTGRESQL = '/usr/lib/postgresql/15/bin';

/** For each component, whether it is here, and the words for where it is not. */
const PRESENT: Record<Component, () => boolean> = {
  postgresql: () => existsSync(path.join(POSTGRESQL, 'pg_basebackup')),
  pgbouncer: () => isProgram('pgbouncer'),
  haproxy: () => isProgram('haproxy'),
  patroni: () => isProgram('patroni'),
  etcd: () => isProgram('etcd'),
  'redis-server': () => isProgram('redis-server'),
  faketime: () => isProgram('faketime'),
  root: () => process.getuid?.() === 0,
};

const MISSING: Record<Component, string> = {
  postgresql: 'PostgreSQL 15 with its programs (Debian: apt-get install postgresql-15)',
  pgbouncer: 'PgBouncer (Debian: apt-get install pgbouncer)',
  haproxy: 'HAProxy (Debian: apt-get install haproxy)',
  patroni: 'Patroni (Debian: apt-get install patroni)',
  etcd: 'etcd (Debian: apt-get install etcd-server)',
  'redis-server': 'Redis (Debian: apt-get install redis-server)',
  faketime: 'libfaketime (Debian: apt-get install faketime)',
  root: 'to be run by root',
};

function isProgram(name: string): boolean {
  return FOLDERS.some((folder) => folder !== '' && existsSync(path.join(folder, name)));
}

/** What is missing of what a fault needs, in words; empty where nothing is. */
export function missing(needs: readonly Component[] = []): string[] {
  return needs.filter((need) => !PRESENT[need]()).map((need) => MISSING[need]);
}
