import { SCOPES, type ApiKeys } from '../store/api-keys';
import { CommandError } from './command-error';

const WORKSPACE = 'default';

/** A key that anybody could guess would open the ledger to everybody. */
const SHORTEST = 20;

/**
 * The key of ACTION_LEDGER_API_KEY is taken in with all scopes. Without it, a ledger that was just made gets a key of
 * its own, which is returned to be shown once.
 */
export async function provideFirstKey(apiKeys: ApiKeys, made: boolean): Promise<string | null> {
  const given = process.env['ACTION_LEDGER_API_KEY'];
  if (given !== undefined && given !== '') {
    if (!/^[\x21-\x7e]+$/.test(given) || given.length < SHORTEST || given.length > 200) {
      throw new CommandError(
        `ACTION_LEDGER_API_KEY must have ${SHORTEST} to 200 visible ASCII characters. Nothing was started. Make one with: openssl rand -hex 32`,
      );
    }
    await apiKeys.adopt(given, { name: 'ACTION_LEDGER_API_KEY', workspace: WORKSPACE, scopes: SCOPES });
    return null;
  }
  if (!made && (await apiKeys.list()).length > 0) return null;
  const { secret } = await apiKeys.create({ name: 'first key', workspace: WORKSPACE, scopes: SCOPES });
  return secret;
}
