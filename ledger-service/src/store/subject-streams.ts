import { digestUuid } from '../domain/action-key';
import { type ClaimCommand, type SubjectVersion } from '../domain/commands';
import { Problem } from '../domain/problem';
import { type Database } from './database';
import { type Item } from './item';
import { moveSubjectVersions } from './move-subject-versions';

/** A stream of versions belongs to one subject; several operations share one only where claims name it. */
export function streamId({ key, subjectVersion }: ClaimCommand): string {
  return digestUuid('stream', key.account, key.subject, subjectVersion?.stream ?? '');
}

/** A claim that takes part in its stream. */
export interface VersionedClaim {
  item: Item;
  command: ClaimCommand;
  version: SubjectVersion;
  moves: boolean;
}

/**
 * Moves the streams of these claims forward and answers what is the newest version for each; null where none is stored. A
 * claim that counts otherwise than its stream is settled with a problem.
 */
export async function newestVersions(
  database: Database,
  claims: readonly VersionedClaim[],
): Promise<Map<Item, number | null>> {
  const newest = await moveSubjectVersions(
    database,
    claims.map(({ item, command, version, moves }) => ({
      workspaceNo: item.workspaceNo,
      streamId: streamId(command),
      version,
      moves,
    })),
  );
  const byItem = new Map<Item, number | null>();
  claims.forEach(({ item, version }, index) => {
    const found = newest[index] ?? null;
    if (found === 'mixed') {
      item.settled = new Problem(
        'subject_version_mixed',
        `This subject's stream counts otherwise (sequence or time) than the claim's ${version.kind}. Nothing was claimed.`,
        { field: 'subjectVersion', hint: 'Use one kind of version in a stream, or name another stream.' },
      );
    } else {
      byItem.set(item, found?.value ?? null);
    }
  });
  return byItem;
}
