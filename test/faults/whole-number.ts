import { InvalidArgumentError } from 'commander';

/** An option's value that must be a whole number above 0. */
export function whole(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError('It must be a whole number above 0.');
  return number;
}
