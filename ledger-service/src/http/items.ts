import { type Static, type TSchema } from '@sinclair/typebox';

import { Problem } from '../domain/problem';
import { problemBody, type ProblemBody } from './problem-answer';
import { type batchOf } from './schemas/batch';
import { checker } from './validation';

export type Batch = ReturnType<typeof batchOf>;

/** Checks the items of a call one by one. A wrong one becomes the problem in its place. */
export function itemReader<T extends TSchema>(
  { name }: Batch,
  item: T,
  further?: (item: Static<T>) => Problem | null,
): (body: unknown) => (Static<T> | Problem)[] {
  const check = checker(item);
  return (body) =>
    (body as Record<string, unknown[]>)[name]?.map((value) => check(value) ?? further?.(value) ?? value) ?? [];
}

/** Answers go as they are; a problem goes as `{"error": …}` with its field told from the body's top. */
export function itemAnswers<A>(name: string, results: readonly (A | Problem)[]): (A | { error: ProblemBody })[] {
  return results.map((result, index) =>
    result instanceof Problem ? { error: problemBody(placed(result, `${name}[${index}]`)) } : result,
  );
}

/** A whole item that is of the wrong type has no field of its own. */
function placed(problem: Problem, path: string): Problem {
  if (problem.field !== 'body') return problem.within(path);
  return new Problem(problem.code, problem.message.replace(/^body /, `${path} `), { field: path, hint: problem.hint });
}
