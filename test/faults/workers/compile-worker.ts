import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { transformSync } from '@swc/core';

/** Compiles the worker once into the folder, since hundreds of its processes are started. Gives the program's path. */
export function compileWorker(folder: string): string {
  const source = path.join(__dirname, 'worker.ts');
  const { code } = transformSync(readFileSync(source, 'utf8'), {
    filename: source,
    jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
    module: { type: 'commonjs' },
    sourceMaps: 'inline',
  });
  const program = path.join(folder, 'worker.cjs');
  writeFileSync(program, code);
  return program;
}
