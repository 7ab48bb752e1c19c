import type { Adaptor } from '@fds/adaptor-sdk';
import type { WrittenRows } from '../state/written-rows.js';
import type { SourceGuard } from '../state/source-guard.js';
import type { SourceTable } from '../source/source-table.js';
import type { TableState } from '../state/adaptor-state.js';

/** Dependencies of a scan. */
export interface ScanContext {
  readonly table: SourceTable;
  readonly state: TableState;
  readonly adaptor: Pick<Adaptor, 'publish' | 'reportError' | 'applied'>;
  readonly written: Pick<WrittenRows, 'known' | 'mark' | 'since' | 'locked'>;
  /** The DR Key properties of the domain version, in order. */
  readonly drKeyProperties: readonly string[];
  readonly guard: Pick<SourceGuard, 'check'>;
  /** Ends the scan between two batches. */
  readonly signal: AbortSignal;
}
