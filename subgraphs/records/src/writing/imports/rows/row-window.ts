import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '@fds/json';

/** A row of a file that is ready to be written. */
export interface WindowRow {
  /** Number of the row. */
  readonly row: number;
  /** Digest of its DR Key. Undefined: the row is not valid. */
  readonly key: string | undefined;
  /** The row as it was read: it stays in memory with the row. */
  readonly given: JsonObject;
  /** The record; null where only the DR Key is kept. */
  readonly json: JsonObject | null;
}

/** Rows that a later row of their key replaced before they were written. */
export interface ReplacedRows {
  readonly updated: number;
  readonly unchanged: number;
}

/** A row to be written. */
export interface TakenRow<Row extends WindowRow> {
  readonly item: Row;
  /** The rows of its key between the row before in the window and this one. */
  readonly replaced: ReplacedRows;
  /** The outcome of the row after those rows. Undefined: no row was replaced. */
  readonly outcome: 'UPDATED' | 'UNCHANGED' | undefined;
}

export interface WindowBounds {
  /** Estimated bytes of the rows in the window, until a key repeats. */
  readonly bytes: number;
  /** The same after a key has repeated. */
  readonly bytesOnceRepeated: number;
}

/** Memory of a row in addition to its texts: as it was read, as a record, and its DR Key. */
const rowBytes = 1000;

const bytesOf = (value: JsonValue | undefined): number => {
  if (typeof value === 'string') return value.length;
  if (Array.isArray(value)) return value.reduce<number>((sum, each: JsonValue) => sum + 8 + bytesOf(each), 0);
  if (!isJsonObject(value)) return 8;
  let bytes = 0;
  for (const name in value) bytes += name.length + bytesOf(value[name]);
  return bytes;
};

/** PostgreSQL refuses a row whose value is too long for one of its indexes. */
const maxIndexedText = 500;

/** Is the value short enough for every index? */
const isStored = (value: JsonValue | undefined): boolean => {
  if (typeof value === 'string') return value.length <= maxIndexedText;
  if (Array.isArray(value)) return value.every((each: JsonValue) => isStored(each));
  return !isJsonObject(value) || Object.entries(value).every(([, each]) => isStored(each));
};

interface Kept<Row> {
  readonly item: Row;
  replaced: ReplacedRows;
  outcome: 'UPDATED' | 'UNCHANGED' | undefined;
  readonly bytes: number;
  /** Computed for a key that repeats. */
  form?: { readonly content: string; readonly isStored: boolean };
}

const none: ReplacedRows = { updated: 0, unchanged: 0 };

const formOf = <Row extends WindowRow>(kept: Kept<Row>): { readonly content: string; readonly isStored: boolean } => {
  const { json } = kept.item;
  kept.form ??= { content: json === null ? '' : canonicalJson(json), isStored: isStored(json) };
  return kept.form;
};

/**
 * Delays rows of a file, so that all rows of a key are written together. The window keeps the first and
 * the last row of a key, and those that the database might refuse: the other rows do not affect the record after the last row. Rows leave the
 * window in the order in which their keys were last seen.
 *
 * Only for rows that replace the whole record: then the outcome of a row follows from the row of its key before it.
 */
export class RowWindow<Row extends WindowRow> {
  readonly #bounds: WindowBounds;
  readonly #groups = new Map<string, Kept<Row>[]>();
  #rows = 0;
  #bytes = 0;
  #hasRepeated = false;

  constructor(bounds: WindowBounds) {
    this.#bounds = bounds;
  }

  get isEmpty(): boolean {
    return this.#rows === 0;
  }

  /** Do the rows exceed the bound? */
  get isOverfull(): boolean {
    return this.#bytes > (this.#hasRepeated ? this.#bounds.bytesOnceRepeated : this.#bounds.bytes);
  }

  add(item: Row): void {
    const bytes = rowBytes + bytesOf(item.given);
    const kept: Kept<Row> = { item, bytes, replaced: none, outcome: undefined };
    // a row without a key shares it with no other row
    const key = item.key ?? `row ${item.row}`;
    const group = this.#groups.get(key);
    this.#rows += 1;
    this.#bytes += bytes;
    if (group === undefined) {
      this.#groups.set(key, [kept]);
      return;
    }
    this.#hasRepeated = true;
    this.#append(group, kept);
    this.#groups.delete(key);
    this.#groups.set(key, group);
  }

  #append(group: Kept<Row>[], next: Kept<Row>): void {
    const last = group.at(-1);
    const before = group.at(-2);
    if (last !== undefined) {
      const [form, lastForm] = [formOf(next), formOf(last)];
      const outcome = form.content === lastForm.content ? 'UNCHANGED' : 'UPDATED';
      if (before !== undefined && form.isStored && lastForm.isStored && formOf(before).isStored) {
        group.pop();
        this.#rows -= 1;
        this.#bytes -= last.bytes;
        const of = last.outcome ?? (lastForm.content === formOf(before).content ? 'UNCHANGED' : 'UPDATED');
        next.replaced = {
          updated: last.replaced.updated + (of === 'UPDATED' ? 1 : 0),
          unchanged: last.replaced.unchanged + (of === 'UNCHANGED' ? 1 : 0),
        };
        next.outcome = outcome;
      }
    }
    group.push(next);
  }

  /**
   * Removes rows from the window, the rows of a key together: those whose keys were not seen for the longest time.
   *
   * @param maxRows the rows of one key may be more
   */
  take(maxRows: number, maxTextBytes: number): TakenRow<Row>[] {
    // as few pieces of equal length as possible
    const wanted = Math.ceil(this.#rows / Math.ceil(this.#rows / maxRows));
    const taken: TakenRow<Row>[] = [];
    let textBytes = 0;
    for (const [key, group] of this.#groups) {
      if (taken.length > 0 && (taken.length + group.length > wanted || textBytes > maxTextBytes)) break;
      this.#groups.delete(key);
      this.#rows -= group.length;
      for (const kept of group) {
        this.#bytes -= kept.bytes;
        textBytes += kept.bytes - rowBytes;
        taken.push(kept);
      }
    }
    return taken;
  }
}
