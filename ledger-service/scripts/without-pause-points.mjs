import path from 'node:path';

import ts from 'typescript';

// Pause points are for tests that run the sources (src/store/pause-point.ts). What is built has none: neither a hook that
// could be set, nor the turn of the event loop that an `await` would cost a claim.

const MODULE = 'pause-point';
const CALL = 'pausePoint';

/** The module itself is not written. */
export const isPausePointModule = (file) => path.basename(file).startsWith(`${MODULE}.`);

/** Takes `await pausePoint('…');` and the import of it out. Anything else that is done with it cannot be taken out, and is an error. */
export const withoutPausePoints = (context) => (file) => {
  if (isPausePointModule(file.fileName)) return file;
  const visit = (node) => {
    if (isPausePoint(node) || isImportOfIt(node)) return undefined;
    if (ts.isIdentifier(node) && node.text === CALL) throw misuse(file, node);
    return ts.visitEachChild(node, visit, context);
  };
  return ts.visitNode(file, visit);
};

function isPausePoint(node) {
  if (!ts.isExpressionStatement(node) || !ts.isAwaitExpression(node.expression)) return false;
  const call = node.expression.expression;
  return (
    ts.isCallExpression(call) &&
    ts.isIdentifier(call.expression) &&
    call.expression.text === CALL &&
    call.arguments.length === 1 &&
    ts.isStringLiteral(call.arguments[0])
  );
}

function isImportOfIt(node) {
  if (!ts.isImportDeclaration(node) || path.basename(node.moduleSpecifier.text) !== MODULE) return false;
  const names = node.importClause?.namedBindings;
  return names !== undefined && ts.isNamedImports(names) && names.elements.every(({ name }) => name.text === CALL);
}

function misuse(file, node) {
  const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
  return new Error(`${file.fileName}:${line + 1}: a pause point is a statement of its own: await ${CALL}('…');`);
}
