import type { AppError, ErrorCause } from '@fds/errors';
import type { WriteResult } from '../writes/domain/record-write.js';
import type { ReplacedRows } from './rows/row-window.js';

/** A fault with its row. */
export interface ImportFault extends ErrorCause {
  /** From 1; 0 is the header. */
  readonly row: number;
}

/** Numbers of rows by result. `total` is the sum of the others. */
export interface ImportCounts {
  readonly total: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
}

/** Further faults are counted, not listed. */
export const maxFaults = 1000;
/** Rows may be written later than rows behind them: so many faults are kept before the last ones are dropped. */
const maxKeptFaults = 4 * maxFaults;

const causesOf = ({ code, message, errors, details }: AppError): readonly ErrorCause[] => {
  if (errors.length > 0) return errors;
  const { uuid } = details;
  return [{ pointer: '', code, detail: typeof uuid === 'string' ? `${message}: ${uuid}` : message }];
};

/** Counts the results of the rows of an import, and keeps the first 1000 faults. */
export class ImportTally {
  #created = 0;
  #updated = 0;
  #unchanged = 0;
  #failed = 0;
  #faults: ImportFault[] = [];
  /** Enough faults of rows before this one are kept. */
  #unlistedFrom = Infinity;

  get counts(): ImportCounts {
    const [created, updated, unchanged, failed] = [this.#created, this.#updated, this.#unchanged, this.#failed];
    return { total: created + updated + unchanged + failed, created, updated, unchanged, failed };
  }

  /** The first faults, in the order of their rows. */
  get faults(): readonly ImportFault[] {
    return this.#faults.toSorted((one, other) => one.row - other.row).slice(0, maxFaults);
  }

  /** The row is wrong. */
  fail(row: number, causes: readonly ErrorCause[]): void {
    this.#failed += 1;
    this.note(row, causes);
  }

  /**
   * The result of the row's write, and of rows that it replaced before they were written. If the row is refused, they are not
   * stored either.
   */
  takeReplacing(row: number, result: WriteResult, { updated, unchanged }: ReplacedRows): void {
    this.take(row, result);
    if (result.outcome === 'REFUSED') {
      this.#failed += updated + unchanged;
    } else {
      this.#updated += updated;
      this.#unchanged += unchanged;
    }
  }

  /** The result of the row's write. */
  take(row: number, result: WriteResult): void {
    if (result.outcome === 'CREATED') this.#created += 1;
    else if (result.outcome === 'UPDATED') this.#updated += 1;
    else if (result.outcome === 'UNCHANGED') this.#unchanged += 1;
    else if (result.outcome === 'REFUSED') this.fail(row, causesOf(result.error));
    else throw new TypeError('an import deletes nothing');
  }

  /** Faults that do not belong to a row. */
  note(row: number, causes: readonly ErrorCause[]): void {
    if (row >= this.#unlistedFrom) return;
    for (const cause of causes) this.#faults.push({ ...cause, row });
    if (this.#faults.length < maxKeptFaults) return;
    this.#faults = [...this.faults];
    this.#unlistedFrom = this.#faults.at(-1)?.row ?? Infinity;
  }
}
