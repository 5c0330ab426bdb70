/** Where the ways of waking report an outage, once each. */
export interface WakeUpLog {
  warn(facts: object, message: string): void;
  info(facts: object, message: string): void;
}
