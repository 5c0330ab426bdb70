/** Something that keeps the ledger's promises, and what it looks like when it is missing. */
export interface Guard {
  /** In the words of a table. */
  name: string;
  /** What it is there for. */
  why: string;
  /** Where it is switched off; several where guards back each other up and only together can be missed. */
  patches: readonly Patch[];
  /** The test file that must notice. */
  file: string;
  /** The tests in it, as `--testNamePattern` takes them. Each of them passes while nothing is switched off. */
  tests: string;
}

export interface Patch {
  /** From the top of the repository. */
  file: string;
  /** Must be there exactly once. */
  find: string;
  replace: string;
}
