import type Database from 'libsql';
import type { MinuteCount } from '@fds/adaptor-protocol';

/** Numbers of sent and received data events. */
export interface EventCounts {
  totals(): { readonly sent: number; readonly received: number };
  /**
   * Adds the events since the last call to a minute (since 1970), and deletes entries that are older than 30 days.
   * Events that a crashed process had not assigned yet are added to the first minute of the next process.
   */
  tally(minute: number): void;
  /** Minutes in ascending order, starting at `from`; minutes without events are omitted. */
  minutes(from: number, limit: number): readonly MinuteCount[];
}

const minutesKept = 30 * 24 * 60;

/**
 * The history, and the part of the totals that is already in it. In a journal of an earlier version, the history begins
 * now.
 */
export const historyTables = `
  create table if not exists minute (minute integer primary key, sent integer not null, received integer not null);
  create table if not exists tallied (id integer primary key check (id = 1), sent integer not null, received integer not null);
  insert or ignore into tallied select 1, sent_count, received_count from state;
`;

interface CountRow {
  readonly sent: number;
  readonly received: number;
}

/** The tables must exist. The totals are those of the journal: an event is counted in the write that stores it. */
export const openEventHistory = (database: Database.Database): EventCounts => {
  const selectTotals = database.prepare('select sent_count as sent, received_count as received from state');
  const selectTallied = database.prepare('select sent, received from tallied');
  const setTallied = database.prepare('update tallied set sent = ?, received = ?');
  const addToMinute = database.prepare(`insert into minute values (?, ?, ?)
    on conflict (minute) do update set sent = sent + excluded.sent, received = received + excluded.received`);
  const forget = database.prepare('delete from minute where minute < ?');
  const selectMinutes = database.prepare(
    'select minute, sent, received from minute where minute >= ? order by minute limit ?',
  );
  const totals = (): CountRow => selectTotals.get() as CountRow;

  return {
    totals: () => {
      const { sent, received } = totals();
      return { sent, received };
    },
    tally: (minute) => {
      const [now, before] = [totals(), selectTallied.get() as CountRow];
      if (now.sent === before.sent && now.received === before.received) return;
      database
        .transaction(() => {
          addToMinute.run(minute, now.sent - before.sent, now.received - before.received);
          setTallied.run(now.sent, now.received);
          forget.run(minute - minutesKept);
        })
        .immediate();
    },
    minutes: (from, limit) =>
      (selectMinutes.all(from, limit) as MinuteCount[]).map(({ minute, sent, received }) => ({
        minute,
        sent,
        received,
      })),
  };
};
