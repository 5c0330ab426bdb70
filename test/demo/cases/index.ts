import { anotherEvent } from './another-event';
import type { Case } from './case';
import { crashAfterBooking } from './crash-after-booking';
import { lateAnswer } from './late-answer';
import { lateEvent } from './late-event';
import { lostConfirmation } from './lost-confirmation';
import { manualRerun } from './manual-rerun';
import { repeatedEvent } from './repeated-event';
import { simultaneousDeliveries } from './simultaneous-deliveries';
import { twoPurchases } from './two-purchases';

export const cases: readonly Case[] = [
  repeatedEvent,
  simultaneousDeliveries,
  anotherEvent,
  twoPurchases,
  lateEvent,
  lateAnswer,
  crashAfterBooking,
  manualRerun,
  lostConfirmation,
];
