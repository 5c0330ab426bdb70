/** What each row of the transitions table does to an action. Pure: an action in, the next one and its history entry out. */
export * from './claims';
export { abandon, endLease } from './lease-ends';
export * from './receipts';
export * from './resolutions';
