import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import type { MessageIdentity, Position } from '@fds/adaptor-protocol';
import { type Discoveries, discoveryTable, openDiscoveries } from './discoveries.js';
import { type Keeping, type ReceiverPosition, keepNone, keptTables, openSentMessages } from './sent-messages.js';
import { type EventCounts, historyTables, openEventHistory } from './event-history.js';
import { type KeptProperties, type KeptReport, keptTable, openKeptProperties } from './kept-properties.js';
import { openWaitingTable, type WaitingMessage, type WaitingTable, waitingTables } from './waiting-table.js';

/**
 * A message for the server outside the sequences. It is kept until the broker has it. Journals of earlier versions
 * contain links here.
 */
interface Report {
  readonly id: number;
  readonly channel: 'up/link' | 'up/ops';
  readonly body: string;
}

/** A report to store. A report on `up/data` gets the next number of the sequence; it does not count as a data event. */
export interface NewReport {
  readonly channel: 'up/data' | 'up/ops';
  readonly body: string;
}

/** The position in the sequence that the adaptor receives. */
export interface ReceivedPosition extends Position {
  /** All messages up to this number are applied, or wait in the journal. Never before `sequence`. */
  readonly settled: number;
  /** The message with the number `sequence`, if it is known. */
  readonly message?: MessageIdentity | undefined;
}

/** A change of the receiving end. */
export interface IncomingChange {
  readonly position: ReceivedPosition;
  /** Messages that wait from now on. */
  readonly added: readonly WaitingMessage[];
  /** Numbers of messages that waited and were applied. */
  readonly removed: readonly number[];
  readonly reports: readonly NewReport[];
  /** Properties that a handler kept. */
  readonly kept?: readonly KeptReport[];
}

/**
 * The adaptor's durable state. When a function returns, its change is on disk. Only one process may use it at a time.
 */
export interface Journal {
  outgoing(): { readonly epoch: string; readonly acked: number; readonly last: number };
  /** Assigns the next numbers to the messages; returns the last number. */
  append(bodies: readonly string[]): number;
  /** Messages of a range, in order. The list ends with the message that exceeds the limit of characters. */
  read(
    from: number,
    to: number,
    maxCharacters: number,
  ): readonly { readonly sequence: number; readonly body: string }[];
  acknowledge(upto: number): void;
  /**
   * Begins a new sequence space: the messages that follow the position of the receiver are numbered from 1, as far as the
   * journal has them. Without a position that it knows, these are the unacknowledged ones.
   *
   * @param receiver epoch of this journal and number that the receiver has; epoch null: it has nothing
   */
  renumber(epoch: string, receiver?: ReceiverPosition): void;
  /** Messages up to this number had numbers in a former space. 0 or less: none. */
  resent(): number;
  incoming(): ReceivedPosition;
  /** Stores a change in one transaction. With another epoch, the messages that waited before are forgotten. */
  storeIncoming(change: IncomingChange): void;
  /** The incoming messages that wait. */
  readonly waiting: Pick<WaitingTable, 'list' | 'read'>;
  addReports(reports: readonly NewReport[]): void;
  /** The reports outside the sequences. */
  reports(): readonly Report[];
  forgetReport(id: number): void;
  /** The first and the last report on `up/ops` that is not sent. Undefined: all are sent. */
  unsentReports(): { readonly first: number; readonly last: number } | undefined;
  /** Numbers of data events since the journal began, in total and by minute. */
  readonly counts: EventCounts;
  readonly kept: Pick<KeptProperties, 'find' | 'reported'>;
  readonly discoveries: Discoveries;
  /** Size of the file without its free pages. */
  bytes(): number;
  close(): void;
}

const tables = `
  create table if not exists state (
    id integer primary key check (id = 1),
    send_epoch text not null, send_acked integer not null, send_last integer not null,
    receive_epoch text, receive_applied integer not null,
    sent_count integer not null, received_count integer not null,
    send_offset integer not null default 0,
    receive_settled integer not null default 0,
    send_resent integer not null default 0,
    receive_message text);
  create table if not exists outgoing (sequence integer primary key, body text not null);
  create table if not exists report (id integer primary key autoincrement, channel text not null, body text not null);
`;

/**
 * Columns that journals of earlier versions lack. Without an offset, row numbers are the numbers of the sequence. Without
 * a settled number, the applied number is it.
 */
const laterColumns = {
  send_offset: 'alter table state add column send_offset integer not null default 0',
  receive_settled: 'alter table state add column receive_settled integer not null default 0',
  send_resent: 'alter table state add column send_resent integer not null default 0',
  receive_message: 'alter table state add column receive_message text',
};

const addLaterColumns = (database: Database.Database): void => {
  const present = database.prepare("select name from pragma_table_info('state')").all() as { readonly name: string }[];
  for (const [column, statement] of Object.entries(laterColumns))
    if (!present.some(({ name }) => name === column)) database.exec(statement);
};

const bodiesOfInsert = 50;

interface StateRow {
  readonly send_epoch: string;
  readonly send_acked: number;
  readonly send_last: number;
  readonly receive_epoch: string | null;
  readonly receive_applied: number;
  readonly sent_count: number;
  readonly received_count: number;
  /** Number of a row in `outgoing`, minus its number in the current sequence. So a new sequence changes no row. */
  readonly send_offset: number;
  readonly receive_settled: number;
  /** Number of the last row in `outgoing` that had a number in a former space. */
  readonly send_resent: number;
  /** JSON text. */
  readonly receive_message: string | null;
}

/**
 * Opens the journal of a directory; creates it if there is none.
 *
 * @param newEpoch names the sequence space of a new journal
 * @param keeping default: acknowledged messages are removed at once
 * @throws Error when another process has it open, or the directory cannot be written
 */
export const openJournal = (directory: string, newEpoch: () => string, keeping: Keeping = keepNone): Journal => {
  mkdirSync(directory, { recursive: true });
  const database = new Database(join(directory, 'journal.db'));
  try {
    database.exec('pragma journal_mode = wal');
    database.exec('pragma locking_mode = exclusive');
    database.exec('pragma synchronous = full');
    database.exec(tables);
    addLaterColumns(database);
    database
      .prepare(
        `insert or ignore into state (id, send_epoch, send_acked, send_last, receive_applied, sent_count, received_count)
         values (1, ?, 0, 0, 0, 0, 0)`,
      )
      .run(newEpoch());
    database.exec(historyTables);
    database.exec(keptTable);
    database.exec(keptTables);
    database.exec(waitingTables);
    database.exec(discoveryTable);
  } catch (error) {
    database.close();
    throw new Error(`the journal in ${directory} cannot be used; is another process using it?`, { cause: error });
  }
  const select = database.prepare('select * from state');
  // many bodies in one call: the overhead of a call is as large as its work for one body
  const insertMany = database.prepare(
    `insert into outgoing values ${Array.from({ length: bodiesOfInsert }, () => '(?, ?)').join(', ')}`,
  );
  const insertOne = database.prepare('insert into outgoing values (?, ?)');
  const offset = '(select send_offset from state)';
  const range = database.prepare(`
    select sequence - ${offset} as sequence, body from (
      select sequence, body,
             sum(length(body)) over (order by sequence rows between unbounded preceding and 1 preceding) as before
      from outgoing where sequence between ? + ${offset} and ? + ${offset}) as entry
    where before is null or before < ? order by entry.sequence`);
  const setLast = database.prepare('update state set send_last = ?, sent_count = sent_count + ?');
  const setAcked = database.prepare('update state set send_acked = ?');
  const setSpace = database.prepare(`update state set send_epoch = ?, send_resent = send_offset + send_last,
    send_last = send_offset + send_last - ?, send_offset = ?, send_acked = 0`);
  const setIncoming = database.prepare(
    `update state set receive_epoch = ?, receive_applied = ?, receive_settled = ?, received_count = received_count + ?,
       receive_message = ?`,
  );
  const waiting = openWaitingTable(database);
  const insertReport = database.prepare('insert into report (channel, body) values (?, ?)');
  const selectReports = database.prepare('select id, channel, body from report order by id limit 256');
  const removeReport = database.prepare('delete from report where id = ?');
  // each finds its row at an end of the table; an aggregate would read all reports
  const unsent = (order: 'asc' | 'desc'): string =>
    `(select id from report where channel = 'up/ops' order by id ${order} limit 1)`;
  const selectUnsent = database.prepare(`select ${unsent('asc')} as first, ${unsent('desc')} as last`);
  const kept = openKeptProperties(database);
  const discoveries = openDiscoveries(database);
  const selectBytes = database.prepare(
    `select (page_count - freelist_count) * page_size as bytes
     from pragma_page_count(), pragma_freelist_count(), pragma_page_size()`,
  );
  const state = (): StateRow => select.get() as StateRow;
  const sentMessages = openSentMessages(database, keeping);
  const atomically = (work: () => void): void => database.transaction(work).immediate();
  const assign = (bodies: readonly string[], events: number): number => {
    const { send_last, send_offset } = state();
    const before = send_offset + send_last;
    const whole = bodies.length - (bodies.length % bodiesOfInsert);
    for (let at = 0; at < whole; at += bodiesOfInsert)
      insertMany.run(
        ...bodies.slice(at, at + bodiesOfInsert).flatMap((body, index) => [before + at + index + 1, body]),
      );
    for (const [index, body] of bodies.slice(whole).entries()) insertOne.run(before + whole + index + 1, body);
    const last = send_last + bodies.length;
    setLast.run(last, events);
    return last;
  };
  const putReports = (reports: readonly NewReport[]): void => {
    const sequenced = reports.flatMap(({ channel, body }) => (channel === 'up/data' ? [body] : []));
    if (sequenced.length > 0) assign(sequenced, 0);
    for (const { channel, body } of reports) if (channel !== 'up/data') insertReport.run(channel, body);
  };

  return {
    outgoing: () => {
      const { send_epoch: epoch, send_acked: acked, send_last: last } = state();
      return { epoch, acked, last };
    },
    append: (bodies) => {
      let last = 0;
      atomically(() => {
        last = assign(bodies, bodies.length);
      });
      return last;
    },
    read: (from, to, maxCharacters) => range.all(from, to, maxCharacters) as { sequence: number; body: string }[],
    acknowledge: (upto) =>
      atomically(() => {
        setAcked.run(upto);
        sentMessages.remove(state().send_offset + upto);
      }),
    renumber: (epoch, receiver) =>
      atomically(() => {
        const row = sentMessages.lastOf(receiver);
        sentMessages.noteSpace();
        setSpace.run(epoch, row, row);
      }),
    resent: () => {
      const { send_resent, send_offset } = state();
      return send_resent - send_offset;
    },
    incoming: () => {
      const { receive_epoch: epoch, receive_applied: sequence, receive_settled, receive_message } = state();
      const message = receive_message === null ? undefined : (JSON.parse(receive_message) as MessageIdentity);
      return { epoch, sequence, settled: Math.max(sequence, receive_settled), message };
    },
    storeIncoming: ({
      position: { epoch, sequence, settled, message },
      added,
      removed,
      reports,
      kept: keptReports = [],
    }) =>
      atomically(() => {
        const before = state();
        const isSame = before.receive_epoch === epoch;
        if (!isSame) waiting.clear();
        const identity = message === undefined ? null : JSON.stringify(message);
        setIncoming.run(epoch, sequence, settled, isSame ? sequence - before.receive_applied : 0, identity);
        waiting.remove(removed);
        waiting.add(added);
        putReports(reports);
        kept.note(keptReports);
      }),
    waiting,
    addReports: (reports) => atomically(() => putReports(reports)),
    reports: () => selectReports.all() as Report[],
    forgetReport: (id) => {
      removeReport.run(id);
    },
    unsentReports: () => {
      const { first, last } = selectUnsent.get() as { readonly first: number | null; readonly last: number | null };
      return first === null || last === null ? undefined : { first, last };
    },
    counts: openEventHistory(database),
    kept,
    discoveries,
    bytes: () => (selectBytes.get() as { readonly bytes: number }).bytes,
    close: () => {
      // libsql keeps the file open until its statements are collected, so the lock is released first; WAL would keep it
      database.exec('pragma journal_mode = delete');
      database.exec('pragma locking_mode = normal');
      state();
      database.close();
    },
  };
};
