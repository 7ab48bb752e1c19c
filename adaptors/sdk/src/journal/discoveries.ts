import type { DiscoveredReport, DiscoveredVersion } from '@fds/adaptor-protocol';
import type Database from 'libsql';

/** The complete scans of discovery mode, one for each domain version. */
export interface Discoveries {
  /** Is a scan of the version noted, reported or not? */
  has(version: DiscoveredVersion): boolean;
  /** Notes a scan, after the messages that are in the journal now. Does nothing when a scan of the version is noted. */
  note(report: DiscoveredReport): void;
  /**
   * Marks the scans as reported whose messages are all acknowledged. A report that is lost on its way is reported again after the
   * next `keepKnown`.
   *
   * @returns them; empty in nearly all cases
   */
  takeDue(): readonly DiscoveredReport[];
  /** The server has noted these scans: the others are to be reported again. */
  keepKnown(known: readonly DiscoveredVersion[]): void;
}

/** `mark` is the number of the last message before the report, in all sequences of the journal together. */
export const discoveryTable = `
  create table if not exists discovery (domain text not null, version integer not null, records integer not null,
    mark integer not null, reported integer not null default 0, primary key (domain, version));
`;

/** The server tells names apart neither by case nor by dashes. */
const nameKey = (domain: string): string => domain.toLowerCase().replaceAll('-', '_');

/** The tables must exist. */
export const openDiscoveries = (database: Database.Database): Discoveries => {
  const find = database.prepare('select 1 from discovery where domain = ? and version = ?');
  const insert = database.prepare(
    'insert or ignore into discovery (domain, version, records, mark) select ?, ?, ?, send_offset + send_last from state',
  );
  const count = database.prepare('select count(*) as count from discovery where reported = 0');
  const take = database.prepare(
    `update discovery set reported = 1 where reported = 0 and mark <= (select send_offset + send_acked from state)
     returning domain, version, records`,
  );
  const reopen = database.prepare(
    `update discovery set reported = 0
     where not exists (select 1 from json_each(?) as known
       where known.value ->> 1 = version and known.value ->> 0 = replace(lower(domain), '-', '_'))`,
  );
  const countOpen = (): number => (count.get() as { readonly count: number }).count;
  /** Most adaptors have none, and then nothing is read. */
  let open = countOpen();
  return {
    has: ({ domain, version }) => find.get(domain, version) !== undefined,
    note: ({ domain, version, records }) => {
      insert.run(domain, version, records);
      open = countOpen();
    },
    takeDue: () => {
      if (open === 0) return [];
      const due = take.all() as DiscoveredReport[];
      open = countOpen();
      return due.map(({ domain, version, records }) => ({ domain, version, records }));
    },
    keepKnown: (known) => {
      reopen.run(JSON.stringify(known.map(({ domain, version }) => [nameKey(domain), version])));
      open = countOpen();
    },
  };
};
