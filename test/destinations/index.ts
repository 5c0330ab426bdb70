export { behaviourNames, type Behaviour, type BehaviourName, type BehaviourRule } from './behaviour';
export { BookingSystem, type BookingSystemOptions } from './booking-system';
export type { Effect } from './effect-log';
export { MailSystem, mailReference, type MailSystemOptions } from './mail-system';
