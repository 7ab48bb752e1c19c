import type { Pgoutput } from 'pg-logical-replication';
import type { ColumnValue } from '../../columns/column-text.js';
import type { ChangedKeys } from './changed-keys.js';

type Tuple = Readonly<Record<string, unknown>> | null;

/**
 * Adds the keys of the rows in a message of PostgreSQL's log.
 *
 * @param keyColumns of the table, in the order of the row key
 */
export const addMessage = (
  changes: ChangedKeys<number, string>,
  keyColumns: readonly string[],
  message: Pgoutput.Message,
): void => {
  const addTuple = (tuple: Tuple): void => {
    if (tuple !== null) changes.addKey(keyColumns.map((column) => (tuple[column] ?? null) as ColumnValue));
  };
  switch (message.tag) {
    case 'begin':
      return changes.begin(message.xid);
    case 'insert':
      return addTuple(message.new);
    case 'update':
      // if the key changed, the row with the old key no longer exists
      addTuple(message.key ?? message.old);
      return addTuple(message.new);
    case 'delete':
      return addTuple(message.key ?? message.old);
    case 'truncate':
      return changes.addUnknown();
    case 'commit':
      return changes.commit(message.commitEndLsn ?? message.commitLsn ?? undefined);
    default:
  }
};
