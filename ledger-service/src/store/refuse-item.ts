import { type Action } from '../domain/action';
import { type ActionKey, sameKey } from '../domain/action-key';
import { proves } from '../domain/claim-token';
import { type Command } from '../domain/commands';
import { Problem } from '../domain/problem';
import { type Item } from './item';

function keyOf(command: Command): ActionKey | undefined {
  if ('key' in command) return command.key;
  return command.kind === 'release' && 'key' in command.claim ? command.claim.key : undefined;
}

/** What no decision may be made on: another action under the same identity, or a token that proves nothing. */
export function refuseItem(item: Item, action: Action | null): Problem | null {
  const { command, token } = item;
  if (token !== null) {
    if (action === null || token.attempt > action.attempt || !proves(token, action.secret)) {
      return new Problem('claim_token_unknown', 'No claim of this workspace has this token. Nothing was recorded.', {
        field: 'claimToken',
        hint: 'Send the claimToken of a claim that was made with an API key of the same workspace.',
      });
    }
  } else if (action !== null && keyOf(command) !== undefined && !sameKey(keyOf(command) ?? action.key, action.key)) {
    return new Problem('key_collision', 'Another action has the same identity. Nothing was claimed.', {
      hint: 'Report this: it should never happen. Another version or account of the action has another identity.',
    });
  } else if (action === null && command.kind !== 'claim' && command.kind !== 'register') {
    return new Problem('action_unknown', 'There is no such action in this workspace. Nothing was changed.');
  }
  return null;
}
