import { type ClaimCommand } from '../../../../ledger-service/src/domain/commands';

/** Event times further ahead than this are not stored. */
const AHEAD_MS = 600_000;

const nameOf = (workspace: string, { key, subjectVersion }: ClaimCommand): string =>
  JSON.stringify([workspace, key.account, key.subject, subjectVersion?.stream]);

/** The newest subject versions: what the store keeps of them, in its plainest form. */
export class VersionStreams {
  private readonly streams = new Map<string, { kind: string; value: number }>();

  /** Moves the streams forward to the newest of these versions; a stream keeps the kind that it began with. */
  move(workspace: string, claims: readonly ClaimCommand[], now: number): void {
    for (const kind of ['sequence', 'time']) {
      for (const command of claims) {
        const version = command.subjectVersion;
        if (version?.kind !== kind || (kind === 'time' && version.value > now + AHEAD_MS)) continue;
        const name = nameOf(workspace, command);
        const stream = this.streams.get(name) ?? version;
        if (stream.kind === kind) this.streams.set(name, { kind, value: Math.max(stream.value, version.value) });
      }
    }
  }

  /** The newest version of the claim's stream; `mixed` where the stream counts otherwise. */
  newest(workspace: string, command: ClaimCommand): number | null | 'mixed' {
    if (command.subjectVersion === null) return null;
    const stream = this.streams.get(nameOf(workspace, command));
    if (stream === undefined) return null;
    return stream.kind === command.subjectVersion.kind ? stream.value : 'mixed';
  }
}
