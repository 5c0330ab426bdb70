/** The longest message that is let through, in bytes. Ours are a fifth of it. */
export const MAX_MESSAGE_BYTES = 65_536;
/** The longest status or error line. */
const MAX_LINE_BYTES = 1_024;
/** More than a hundred busy services send. */
const MAX_FRAMES_PER_SECOND = 10_000;
const MAX_BYTES_PER_SECOND = 8_388_608;
/** Answers to our own SUBSCRIBE; everything else that comes as a list is a message. */
const MAX_OTHER_LISTS = 4;

/**
 * Looks at what a Redis server sends before its client does. A subscriber is sent these only: status, error and number
 * lines, and lists of three texts or numbers (RESP2). Anything else, a message of any size and a flood are what a
 * client would keep in memory, spend its time on or stumble over, and Redis is not worth any of it.
 */
export class ReplyGuard {
  /** Of a header that is not complete yet. */
  private line = '';
  /** Of a text that is not complete yet, with its end of line. */
  private bytesLeft = 0;
  /** Of a list that is not complete yet. */
  private elementsLeft = 0;
  private otherLists = 0;
  private second = 0;
  private frames = 0;
  private bytes = 0;

  /** Null where the bytes may pass, else what is wrong with them. */
  objection(chunk: Buffer): string | null {
    const second = Math.floor(performance.now() / 1_000);
    if (second !== this.second) Object.assign(this, { second, frames: 0, bytes: 0 });
    this.bytes += chunk.length;
    if (this.bytes > MAX_BYTES_PER_SECOND) return 'it sends more than 8 MiB a second';
    for (let at = 0; at < chunk.length;) {
      if (this.bytesLeft > 0) {
        const skipped = Math.min(this.bytesLeft, chunk.length - at);
        at += skipped;
        this.bytesLeft -= skipped;
        if (this.bytesLeft === 0) this.elementsLeft--;
        continue;
      }
      const newline = chunk.indexOf(10, at);
      this.line += chunk.toString('latin1', at, newline === -1 ? chunk.length : newline + 1);
      if (this.line.length > MAX_LINE_BYTES) return 'it sends lines that have no end';
      if (newline === -1) return null;
      at = newline + 1;
      const wrong = this.header(this.line);
      if (wrong !== null) return wrong;
      this.line = '';
      if (this.frames > MAX_FRAMES_PER_SECOND) return `it sends more than ${MAX_FRAMES_PER_SECOND} messages a second`;
    }
    return null;
  }

  private header(line: string): string | null {
    const foreign = 'it does not speak as a Redis server does';
    if (line.indexOf('\r') !== line.length - 2) return foreign;
    const [type, rest] = [line.charAt(0), line.slice(1, -2)];
    const inList = this.elementsLeft > 0;
    if (!inList) this.frames++;
    if (type === ':' && /^-?\d{1,15}$/.test(rest)) {
      if (!inList) return null;
      // What kind of list it is comes as text.
      if (this.elementsLeft === 3) return foreign;
      this.elementsLeft--;
      return null;
    }
    if (!inList && (type === '+' || type === '-')) return null;
    if (!inList && line === '*3\r\n') {
      this.elementsLeft = 3;
      return null;
    }
    if (!inList || type !== '$' || !/^\d{1,12}$/.test(rest)) return foreign;
    const length = Number(rest);
    if (length > MAX_MESSAGE_BYTES) return `it sends a message of ${length} bytes`;
    if (this.elementsLeft === 3 && length !== 'message'.length && ++this.otherLists > MAX_OTHER_LISTS) return foreign;
    this.bytesLeft = length + 2;
    return null;
  }
}
