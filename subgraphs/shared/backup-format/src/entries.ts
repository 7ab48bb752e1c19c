import { BackupFault } from './sealing.js';

/** The origin of a backup, which a reader needs before the tables. */
export interface BackupHead {
  /** Version of the service that wrote the backup. */
  readonly version: string;
  /** Version of its PostgreSQL. */
  readonly postgres: string;
  /** Moment of the snapshot, ISO 8601. */
  readonly date: string;
  /** Every migration of the database, in order. */
  readonly migrations: readonly { readonly name: string; readonly checksum: string }[];
}

export interface BackupSequence {
  readonly name: string;
  /** Null: not used yet. */
  readonly last: string | null;
}

export interface BackupTotals {
  readonly tables: number;
  readonly rows: number;
}

/** A part of a backup, in this order: HEAD, FILE..., (TABLE, ROWS..., END)..., SEQUENCES, TRAILER. */
export type Entry =
  | { readonly kind: 'HEAD'; readonly head: BackupHead }
  | { readonly kind: 'FILE'; readonly name: string; readonly content: string }
  | { readonly kind: 'TABLE'; readonly name: string; readonly columns: readonly string[] }
  /** Bytes of the text format of COPY. They may begin and end within a row. */
  | { readonly kind: 'ROWS'; readonly bytes: Buffer }
  | { readonly kind: 'END'; readonly rows: number; readonly sha256: string }
  | { readonly kind: 'SEQUENCES'; readonly sequences: readonly BackupSequence[] }
  | { readonly kind: 'TRAILER'; readonly totals: BackupTotals };

const kinds: readonly Entry['kind'][] = ['HEAD', 'FILE', 'TABLE', 'ROWS', 'END', 'SEQUENCES', 'TRAILER'];
const frameHeadBytes = 5;
const maxFrameBytes = 16 * 2 ** 20;
const maxRowsBytes = 2 ** 20;

const frameOf = (kind: Entry['kind'], payload: Buffer): Buffer[] => {
  const head = Buffer.alloc(frameHeadBytes);
  head[0] = kinds.indexOf(kind) + 1;
  head.writeUInt32BE(payload.length, 1);
  return [head, payload];
};

/** The bytes of an entry. */
export const toFrames = (entry: Entry): Buffer[] => {
  if (entry.kind !== 'ROWS') {
    const { kind, ...members } = entry;
    return frameOf(kind, Buffer.from(JSON.stringify(members)));
  }
  const frames: Buffer[] = [];
  for (let at = 0; at < entry.bytes.length; at += maxRowsBytes)
    frames.push(...frameOf('ROWS', entry.bytes.subarray(at, at + maxRowsBytes)));
  return frames;
};

const damaged = (): BackupFault => new BackupFault('DAMAGED', 'the content of the file is incomplete');

const toEntry = (kind: Entry['kind'], payload: Buffer): Entry =>
  kind === 'ROWS' ? { kind, bytes: payload } : ({ kind, ...(JSON.parse(payload.toString('utf8')) as object) } as Entry);

/** @throws BackupFault when the bytes end within an entry */
export const readEntries = async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Entry> {
  let held: Buffer = Buffer.alloc(0);
  let pieces: Buffer[] = [];
  let length = 0;
  let needed = frameHeadBytes;
  for await (const bytes of source) {
    pieces.push(bytes);
    length += bytes.length;
    if (length < needed) continue;
    held = pieces.length === 1 ? bytes : Buffer.concat(pieces);
    for (;;) {
      needed = frameHeadBytes;
      if (held.length < needed) break;
      const kind = kinds[(held[0] ?? 0) - 1];
      const payloadBytes = held.readUInt32BE(1);
      if (kind === undefined || payloadBytes > maxFrameBytes) throw damaged();
      needed += payloadBytes;
      if (held.length < needed) break;
      yield toEntry(kind, held.subarray(frameHeadBytes, needed));
      held = held.subarray(needed);
    }
    pieces = [held];
    length = held.length;
  }
  if (length > 0) throw damaged();
};
