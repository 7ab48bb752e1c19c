import type Database from 'libsql';
import type { MinuteCount } from '@fds/adaptor-protocol';

/** How many data events went out and came in. */
export interface EventCounts {
  totals(): { readonly sent: number; readonly received: number };
  /**
   * Assigns the counts since the last call to a minute (since 1970), and deletes entries that are older than 30 days.
   * Counts that a crashed process had not assigned yet go to the first minute of the next one.
   */
  tally(minute: number): void;
  /** Ascending, from a minute on; those in which nothing happened are left out. */
  minutes(from: number, limit: number): readonly MinuteCount[];
}

const minutesKept = 30 * 24 * 60;

/** The history, and how much of the totals is in it. A journal from before there was a history begins it now. */
export const historyTables = `
  create table if not exists minute (minute integer primary key, sent integer not null, received integer not null);
  create table if not exists tallied (id integer primary key check (id = 1), sent integer not null, received integer not null);
  insert or ignore into tallied select 1, sent_count, received_count from state;
`;

interface CountRow {
  readonly sent: number;
  readonly received: number;
}

/** The tables must be there. The totals are the journal's: an event is counted in the write that keeps it. */
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
