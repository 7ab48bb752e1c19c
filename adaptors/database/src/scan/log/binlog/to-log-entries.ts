import {
  MariadbGtidPosition,
  type AnyBinlogEvent,
  type BinlogEventByTypeName,
  type BinlogEventTypeName,
  type TableMapEvent,
} from '@vlasky/zongji';
import type { LogEntry } from './log-entry.js';

const is = <Name extends BinlogEventTypeName>(
  event: AnyBinlogEvent,
  name: Name,
): event is BinlogEventByTypeName<Name> => event.getTypeName() === name;

/** A statement that ends a group. */
const endsGroup = /^\s*(?:COMMIT|ROLLBACK)\s*$/i;

/**
 * Converts the events of the library, in order. Rows are read by the column names in the log. With another setting of
 * `binlog_row_metadata`, the library would have to guess from the current columns of the table.
 *
 * @param from position at which the log begins
 */
export const createToLogEntries = (from: string): ((event: AnyBinlogEvent, file: string) => readonly LogEntry[]) => {
  const position = MariadbGtidPosition.parse(from);
  let group: BinlogEventByTypeName<'MariadbGtid'> | undefined;
  const described = new Map<number, boolean>();

  const end = (): readonly LogEntry[] => {
    if (group === undefined) return [];
    position.add(group);
    group = undefined;
    return [{ kind: 'END', position: position.toString() }];
  };
  const isDescribed = (event: TableMapEvent): boolean =>
    event.hasSelfDescribingMetadata() && !event.hasAmbiguousTemporalColumns();

  return (event, file) => {
    if (is(event, 'MariadbGtid')) {
      const entries = [...end(), { kind: 'BEGIN', place: { file, offset: event.nextPosition } } as const];
      group = event;
      return entries;
    }
    if (is(event, 'TableMap')) {
      described.set(event.tableId, isDescribed(event));
      return [];
    }
    if (is(event, 'WriteRows') || is(event, 'UpdateRows') || is(event, 'DeleteRows')) {
      const table = event.tableMap[event.tableId];
      if (table === undefined) return [{ kind: 'UNKNOWN' }];
      const { parentSchema: schema, tableName: name } = table;
      if (described.get(event.tableId) !== true) return [{ kind: 'ROWS', schema, name, rows: undefined }];
      if (is(event, 'UpdateRows')) return [{ kind: 'ROWS', schema, name, rows: event.rows }];
      const rows = event.rows.map((row) => (is(event, 'WriteRows') ? { after: row } : { before: row }));
      return [{ kind: 'ROWS', schema, name, rows }];
    }
    if (is(event, 'Query')) {
      if (endsGroup.test(event.query)) return end();
      const query = { kind: 'QUERY', query: event.query } as const;
      return group?.standalone === true ? [query, ...end()] : [query];
    }
    if (is(event, 'Xid') || is(event, 'XaPrepare')) return end();
    // parts of statements, and incidents; only the event that closes a file is empty
    if (is(event, 'Unknown') && (group !== undefined || event.size > 0)) return [{ kind: 'UNKNOWN' }];
    return [];
  };
};
