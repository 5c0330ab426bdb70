import type { PaymentEvent } from '../payment-event';
import type { Effects, Option, Scene } from '../scene';

/** One way in which an action gets done twice, played once without and once with the guards. */
export interface Case {
  title: string;
  /** What happens, in a sentence or two. */
  story: string;
  /** The events whose orders are counted. */
  events: readonly PaymentEvent[];
  intended: Effects;
  /** What goes wrong without the guards; null where nothing should. */
  damage: string | null;
  options?: readonly Option[];
  mailTimeoutMs?: number;
  play: (scene: Scene) => Promise<void>;
  /** How it ends, with the guards: what was left unknown is resolved. */
  resolve?: { title: string; play: (scene: Scene) => Promise<void> };
}
