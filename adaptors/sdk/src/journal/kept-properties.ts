import { hash } from 'node:crypto';
import { stringifyJson, type JsonValue, type Position } from '@fds/adaptor-protocol';
import type Database from 'libsql';

/** The properties that an applied event did not write and those that it brought. */
export interface KeptReport {
  readonly drUuid: string;
  readonly domain: string;
  readonly version: number;
  /** Values of the record's DR Key in this adaptor. */
  readonly drKeyValues: readonly JsonValue[];
  readonly epoch: string;
  readonly sequence: number;
  /** Properties that the adaptor did not write, because the system holds a value that was not reported. */
  readonly kept: readonly string[];
  /** Properties that the event brought; undefined: the record is gone. */
  readonly brought: readonly string[] | undefined;
}

/** How a published event names its record. */
interface RecordName {
  readonly domain: string;
  readonly version: number;
  readonly drUuid?: string | undefined;
  readonly drKeyValues?: readonly JsonValue[] | undefined;
}

/** The first message of a record whose properties were kept and not reported since. */
export interface KeptMark {
  readonly drUuid: string;
  readonly position: Position;
}

/**
 * The records whose last events had kept properties. Until such a record is reported, its reports have not seen the
 * first of these events.
 */
export interface KeptProperties {
  /** Must run in a transaction of the journal. */
  note(reports: readonly KeptReport[]): void;
  /** The mark of a record; undefined in nearly all cases. `name` is only called if there are marks. */
  find(name: () => RecordName): KeptMark | undefined;
  /** Removes the mark after the report is durable. A later mark of the record stays. */
  reported(mark: KeptMark): void;
}

/** Records with a mark. The oldest marks give way to new ones: their records are then reported as if they had seen all. */
const maxMarks = 10_000;

/** Characters of the names of one mark. Beyond, only a report of the record removes it. */
const maxCharacters = 4_096;

export const keptTable = `
  create table if not exists kept (dr_uuid text primary key, record text not null, epoch text not null,
    sequence integer not null, properties text);
  create index if not exists kept_record on kept (record);
`;

interface KeptRow {
  readonly dr_uuid: string;
  readonly epoch: string;
  readonly sequence: number;
  readonly properties: string | null;
}

const recordText = ({ domain, version }: RecordName, drKeyValues: readonly JsonValue[]): string =>
  hash('sha256', stringifyJson([domain, version, drKeyValues]), 'base64');

const propertiesText = (properties: readonly string[]): string | null => {
  const text = JSON.stringify(properties);
  return text.length > maxCharacters ? null : text;
};

/** The table must exist. */
export const openKeptProperties = (database: Database.Database): KeptProperties => {
  const count = database.prepare('select count(*) as count from kept');
  const byUuid = database.prepare('select dr_uuid, epoch, sequence, properties from kept where dr_uuid = ?');
  const byRecord = database.prepare(
    'select dr_uuid, epoch, sequence, properties from kept where record = ? order by rowid limit 1',
  );
  const put = database.prepare('insert or replace into kept values (?, ?, ?, ?, ?)');
  const change = database.prepare('update kept set properties = ? where dr_uuid = ?');
  const remove = database.prepare('delete from kept where dr_uuid = ? and epoch = ? and sequence = ?');
  const removeOldest = database.prepare(
    'delete from kept where dr_uuid = (select dr_uuid from kept order by rowid limit 1)',
  );
  const countMarks = (): number => (count.get() as { readonly count: number }).count;
  /** Most adaptors have no mark, and then nothing is read. */
  let size = countMarks();

  const noteOne = (report: KeptReport): void => {
    const { drUuid, epoch, sequence, kept, brought } = report;
    const row = byUuid.get(drUuid) as KeptRow | undefined;
    if (row === undefined) {
      if (kept.length === 0) return;
      if (size >= maxMarks) removeOldest.run();
      else size += 1;
      put.run(drUuid, recordText(report, report.drKeyValues), epoch, sequence, propertiesText(kept));
      return;
    }
    const before = row.properties === null ? undefined : (JSON.parse(row.properties) as readonly string[]);
    if (kept.length === 0 && brought === undefined) return void remove.run(drUuid, row.epoch, row.sequence);
    if (before === undefined) return;
    // a later event that was written shows that the system has seen what came before it
    const still = before.filter((property) => brought?.includes(property) !== true);
    const properties = [...new Set([...still, ...kept])];
    if (properties.length === 0) remove.run(drUuid, row.epoch, row.sequence);
    else change.run(propertiesText(properties), drUuid);
  };

  return {
    note: (reports) => {
      if (size === 0 && reports.every(({ kept }) => kept.length === 0)) return;
      for (const report of reports) noteOne(report);
      size = countMarks();
    },
    find: (named) => {
      if (size === 0) return undefined;
      const name = named();
      const { drUuid, drKeyValues } = name;
      const row = ((drUuid === undefined ? undefined : byUuid.get(drUuid)) ??
        (drKeyValues === undefined ? undefined : byRecord.get(recordText(name, drKeyValues)))) as KeptRow | undefined;
      return row && { drUuid: row.dr_uuid, position: { epoch: row.epoch, sequence: row.sequence } };
    },
    reported: ({ drUuid, position }) => {
      remove.run(drUuid, position.epoch, position.sequence);
      size = countMarks();
    },
  };
};
