/** What the operator must know and can act on; shown without a stack. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
