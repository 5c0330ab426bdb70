export { behaviourNames, courses, type Behaviour, type BehaviourName, type BehaviourRule } from './behaviour';
export { BookingSystem, type BookingSystemOptions } from './booking-system';
export { ConnectionReset, type DirectCallOptions } from './direct-call';
export type { DeskOptions } from './effect-desk';
export { type Effect, EffectLog } from './effect-log';
export { MailSystem, mailReference } from './mail-system';
export { PaymentSystem, type Payment } from './payment-system';
export type { Answered } from './reply';
