import { type ClaimItem, type SubjectVersion } from './asks';
import { type Reading } from './moments';
import { keyAt, type World } from './world';

/** Event times further ahead than this are not stored: one wrong clock must not make all others stale. */
const AHEAD_MS = 600_000;

interface Versioned {
  item: ClaimItem;
  version: SubjectVersion;
  /** One that is refused as too old only compares itself. */
  moves: boolean;
  now: Reading;
}

function streamOf(world: World, { key }: ClaimItem, { stream }: SubjectVersion): string {
  const { workspace, account, subject, operation } = keyAt(world, key);
  return JSON.stringify([workspace, account, subject, stream === undefined ? ['operation', operation] : stream]);
}

const kindOf = ({ value }: SubjectVersion): 'sequence' | 'time' => (value === undefined ? 'time' : 'sequence');

/** Moves the streams of a call's claims forward, all of them before any is decided. */
export function moveStreams(world: World, claims: readonly Versioned[]): void {
  const moving = claims.filter(({ version, moves, now }) => {
    if (version.occurredAt === undefined) return moves;
    if (version.occurredAt > now.to + AHEAD_MS) return false;
    if (version.occurredAt > now.from + AHEAD_MS) throw new Error('It is open whether this time is too far ahead');
    return moves;
  });
  // Where one call begins a stream with both kinds, it is one of sequence numbers.
  const sequencesFirst = [...moving].sort((one, other) =>
    kindOf(one.version) === kindOf(other.version) ? 0 : kindOf(one.version) === 'sequence' ? -1 : 1,
  );
  for (const { item, version } of sequencesFirst) {
    const name = streamOf(world, item, version);
    const kind = kindOf(version);
    const newest = version.value ?? version.occurredAt ?? 0;
    const stream = (world.streams[name] ??= { kind, newest });
    if (stream.kind === kind) stream.newest = Math.max(stream.newest, newest);
  }
}

/** The newest version of a claim's stream; null where none is stored; `mixed` where the stream counts otherwise. */
export function newestOf(world: World, item: ClaimItem): number | null | 'mixed' {
  const version = item.subjectVersion;
  const stream = version === undefined ? undefined : world.streams[streamOf(world, item, version)];
  if (version === undefined || stream === undefined) return null;
  return stream.kind === kindOf(version) ? stream.newest : 'mixed';
}
