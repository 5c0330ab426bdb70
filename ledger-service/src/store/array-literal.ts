type Scalar = string | number | boolean | null | undefined;

const SPECIAL = /["\\]/;
const EACH_SPECIAL = /["\\]/g;

/**
 * A PostgreSQL array literal (manual, 8.15.2), of values whose type is known: a batch has sixty such arrays, and the
 * driver's own writer inspects and quotes every element.
 */
export function arrayLiteral(values: readonly Scalar[]): string {
  let text = '{';
  for (let index = 0; index < values.length; index++) {
    const value = values[index];
    if (index > 0) text += ',';
    if (value === null || value === undefined) text += 'NULL';
    else if (typeof value === 'string')
      text += `"${SPECIAL.test(value) ? value.replace(EACH_SPECIAL, '\\$&') : value}"`;
    else text += String(value);
  }
  return `${text}}`;
}
