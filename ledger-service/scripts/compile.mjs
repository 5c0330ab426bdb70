// Compiles the service as `tsc --project` does, without the pause points of the tests: compile.mjs [folder]; default dist.
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import ts from 'typescript';

import { isPausePointModule, withoutPausePoints } from './without-pause-points.mjs';

const project = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../tsconfig.json');
const host = {
  getCurrentDirectory: ts.sys.getCurrentDirectory,
  getNewLine: () => ts.sys.newLine,
  getCanonicalFileName: (name) => name,
};

function report(diagnostics) {
  if (diagnostics.length === 0) return;
  process.stderr.write(ts.formatDiagnosticsWithColorAndContext(diagnostics, host));
  process.exit(1);
}

const { fileNames, options, errors } = ts.getParsedCommandLineOfConfigFile(project, undefined, {
  ...ts.sys,
  onUnRecoverableConfigFileDiagnostic: (diagnostic) => report([diagnostic]),
});
const [, , outDir = options.outDir] = process.argv;
const program = ts.createProgram(fileNames, { ...options, outDir });
report([...errors, ...ts.getPreEmitDiagnostics(program)]);
const write = (name, ...rest) => {
  if (!isPausePointModule(name)) ts.sys.writeFile(name, ...rest);
};
report(program.emit(undefined, write, undefined, undefined, { before: [withoutPausePoints] }).diagnostics);
