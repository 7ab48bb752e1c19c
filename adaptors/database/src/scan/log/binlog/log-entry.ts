import type { BinlogPlace } from './binlog-place.js';
import type { ChangedRow } from './changed-row.js';

/** An entry of the binary log. Changes are in groups; each group has a BEGIN and an END. */
export type LogEntry =
  /** @member place of the group in the log */
  | { readonly kind: 'BEGIN'; readonly place: BinlogPlace }
  /** @member rows undefined: they cannot be read reliably */
  | {
      readonly kind: 'ROWS';
      readonly schema: string;
      readonly name: string;
      readonly rows: readonly ChangedRow[] | undefined;
    }
  | { readonly kind: 'QUERY'; readonly query: string }
  /** Changes of any table whose rows are not in the log. */
  | { readonly kind: 'UNKNOWN' }
  /** @member position everything up to this position was read */
  | { readonly kind: 'END'; readonly position: string };
