import { type Journal } from '../load/journal';
import { type Random } from '../random';

/**
 * The same story with several subjects at once, each with choices of its own. What goes wrong with one is told in the
 * journal and does not end the others.
 */
export async function eachSubject<T>(
  { journal, prefix, random }: { journal: Journal; prefix: string; random: Random },
  variants: readonly T[],
  tell: (subject: string, variant: T, random: Random) => Promise<void>,
): Promise<Journal> {
  const told = variants.map(async (variant, index) => {
    const subject = `${prefix}-${index}`;
    const choices = random.fork();
    journal.subjects.add(subject);
    try {
      await tell(subject, variant, choices);
    } catch (error) {
      journal.surprises.push(`${subject} (${String(variant)}): ${String((error as Error).stack ?? error)}`);
    }
  });
  await Promise.all(told);
  return journal;
}
