import { chmodSync, mkdirSync } from 'node:fs';
import path from 'node:path';

/** Makes the folder and its missing parents with exactly this mode; mkdir alone would let the umask take some of it away. */
export function makeFolder(folder: string, mode: number): void {
  const outermost = mkdirSync(folder, { recursive: true });
  if (outermost === undefined) return;
  for (let at = folder; ; at = path.dirname(at)) {
    chmodSync(at, mode);
    if (at === outermost) return;
  }
}
