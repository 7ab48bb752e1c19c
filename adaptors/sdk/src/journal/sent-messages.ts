import type Database from 'libsql';

/** Acknowledged messages that the journal keeps, for a server that is restored from a backup. */
export interface Keeping {
  /** Milliseconds; 0: none. */
  readonly ms: number;
  /** The oldest are removed beyond this number. */
  readonly maxMessages: number;
  readonly now: () => number;
}

export const keepNone: Keeping = { ms: 0, maxMessages: 0, now: Date.now };

/** Position of a receiver; epoch null: it has nothing. */
export interface ReceiverPosition {
  readonly epoch: string | null;
  readonly applied: number;
}

/** The messages of the journal that were sent before. Their rows have numbers that do not change with the sequence space. */
export interface SentMessages {
  /** Removes the rows up to an acknowledged one, or those of them that are not to be kept. */
  remove(acknowledged: number): void;
  /**
   * The last row that a receiver has; never beyond the acknowledged ones, and not before those that are kept. Without a
   * position in this journal, it is the last acknowledged one.
   */
  lastOf(receiver: ReceiverPosition | undefined): number;
  /** Notes the present space: positions in it stay understood. */
  noteSpace(): void;
}

/** `upto` and `base` are numbers of rows. */
export const keptTables = `
  create table if not exists acknowledged (minute integer primary key, upto integer not null);
  create table if not exists space (id integer primary key autoincrement, epoch text not null unique, base integer not null);
`;

/** Former spaces whose positions are understood. */
const maxSpaces = 100;

interface Numbers {
  readonly epoch: string;
  readonly base: number;
  readonly acked: number;
  readonly last: number;
}

/** The tables must exist. */
export const openSentMessages = (database: Database.Database, keeping: Keeping): SentMessages => {
  const select = database.prepare(
    'select send_epoch as epoch, send_offset as base, send_acked as acked, send_last as last from state',
  );
  const remove = database.prepare('delete from outgoing where sequence <= ?');
  const selectFirst = database.prepare('select min(sequence) as first from outgoing');
  const noteSpace = database.prepare(
    'insert into space (epoch, base) select send_epoch, send_offset from state where true on conflict (epoch) do nothing',
  );
  const forgetSpaces = database.prepare(`delete from space where id <= (select max(id) from space) - ${maxSpaces}`);
  const findSpace = database.prepare('select base from space where epoch = ?');
  const noteAcknowledged = database.prepare(
    'insert into acknowledged values (?, ?) on conflict (minute) do update set upto = excluded.upto',
  );
  const selectOld = database.prepare('select max(upto) as upto from acknowledged where minute < ?');
  const forgetAcknowledged = database.prepare('delete from acknowledged where minute < ?');

  /** The row before the first one of the space; undefined: it is not a space of this journal. */
  const baseOf = (epoch: string, now: Numbers): number | undefined =>
    epoch === now.epoch ? now.base : (findSpace.get(epoch) as { readonly base: number } | undefined)?.base;

  return {
    remove: (acknowledged) => {
      if (keeping.ms === 0) {
        remove.run(acknowledged);
        return;
      }
      const minute = Math.floor(keeping.now() / 60_000);
      noteAcknowledged.run(minute, acknowledged);
      const oldest = minute - Math.ceil(keeping.ms / 60_000);
      const { upto } = selectOld.get(oldest) as { readonly upto: number | null };
      if (upto !== null) forgetAcknowledged.run(oldest);
      remove.run(Math.max(upto ?? 0, acknowledged - keeping.maxMessages));
    },
    lastOf: (receiver) => {
      const now = select.get() as Numbers;
      const acknowledged = now.base + now.acked;
      if (receiver === undefined) return acknowledged;
      const base = receiver.epoch === null ? 0 : baseOf(receiver.epoch, now);
      const row = (base ?? 0) + receiver.applied;
      // a receiver with more than was ever sent knows another journal of this adaptor
      if (base === undefined || row > now.base + now.last) return acknowledged;
      const { first } = selectFirst.get() as { readonly first: number | null };
      return Math.min(acknowledged, Math.max(row, (first ?? acknowledged + 1) - 1));
    },
    noteSpace: () => {
      noteSpace.run();
      forgetSpaces.run();
    },
  };
};
