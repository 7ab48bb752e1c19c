import type { BinlogPlace } from './binlog-place.js';
import type { ChangedRow } from './changed-row.js';

/** An entry of the binary log. Changes come in groups, each of which begins and ends. */
export type LogEntry =
  /** @member place inside the group */
  | { readonly kind: 'BEGIN'; readonly place: BinlogPlace }
  /** @member rows undefined: they cannot be read with certainty */
  | {
      readonly kind: 'ROWS';
      readonly schema: string;
      readonly name: string;
      readonly rows: readonly ChangedRow[] | undefined;
    }
  | { readonly kind: 'QUERY'; readonly query: string }
  /** Changes of any table that the log does not name. */
  | { readonly kind: 'UNKNOWN' }
  /** @member position everything up to here was read */
  | { readonly kind: 'END'; readonly position: string };
