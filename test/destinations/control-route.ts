import type { BehaviourRule } from './behaviour';
import type { EffectDesk } from './effect-desk';
import { answer, type Call } from './http-exchange';

/**
 * The same controls over HTTP, for a test or demo that runs in another process:
 * `GET /control` counts, `POST /control/behaviour` adds a rule, `DELETE /control` forgets rules and effects.
 * Says whether the call was one of these.
 */
export function control(call: Call, desk: EffectDesk): boolean {
  const { method, url, body, response } = call;
  if (method === 'GET' && url.pathname === '/control') {
    answer(response, 200, { counts: desk.effects.counts(), effects: desk.effects.all() });
    return true;
  }
  if (method === 'POST' && url.pathname === '/control/behaviour') {
    desk.rules.add(body as unknown as BehaviourRule);
    answer(response, 200, {});
    return true;
  }
  if (method === 'DELETE' && url.pathname === '/control') {
    desk.reset();
    answer(response, 200, {});
    return true;
  }
  return false;
}
