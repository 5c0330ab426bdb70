/** What comes over the wire or out of a run, read as it comes: the expectations of a test are what checks it. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Json = any;

export type JsonObject = Record<string, Json>;
