import { contactProperties, type Contact, type ContactChange, type ContactProperty } from './contact-database.js';

/** An edit that a user has made. Each value is set once in a run, so it identifies the edit. */
export interface MadeEdit {
  /** The moment just before the transaction of the user began. */
  readonly atMs: number;
  readonly database: number;
  readonly kind: 'UPDATE' | 'INSERT' | 'DELETE';
  readonly values: ContactChange;
  /** The row that the user saw; undefined: an INSERT. */
  readonly before: Contact | undefined;
}

/** The facts about one record on the wires of the adaptors and in the history of the service. */
export interface RecordEvidence {
  /** Transactions by which a database reported the value. */
  reportsOf(database: number, property: ContactProperty, value: string): ReadonlySet<string>;
  /** Transactions by which a database reported a deletion from this moment on. */
  deletionsOf(database: number, sinceMs: number): ReadonlySet<string>;
  /** Did the service send the value to any database as a new one? */
  isSentOn(property: ContactProperty, value: string): boolean;
  /** Was the database sent a DELETE from this moment on? */
  isSentDeletion(database: number, sinceMs: number): boolean;
  /** Does the history name the event of the transaction as overridden, for this property? Undefined property: as a whole. */
  isOverridden(transactionUuid: string, property: ContactProperty | undefined): boolean;
}

/** The result of a record's history. */
export interface Judgement {
  /** Edits that the service names as overridden. */
  readonly overridden: number;
  /** Sentences about edits that are lost, undone or invented. */
  readonly faults: readonly string[];
}

/** A message that passed the wire shortly before an edit may be applied after it. */
const onTheWayMs = 1_000;

/**
 * Judges the edits of a record, in the order in which they were made. Each value must be in the final row, or replaced or
 * deleted by a user who saw it, or named by the service as overridden. Each deletion whose row is there must be named, too.
 *
 * @param edits the first one inserts the row
 * @param final the row that all databases have; undefined: none
 */
export const judgeHistory = (
  edits: readonly MadeEdit[],
  final: Contact | undefined,
  evidence: RecordEvidence,
): Judgement => {
  const isDeletedOnce = edits.some(({ kind }) => kind === 'DELETE');
  const faults: string[] = [];
  let overridden = 0;

  const setBy = (property: ContactProperty, value: string): MadeEdit | undefined =>
    edits.find(({ values }) => values[property] === value);
  /** Did the user who set the value know the other one, or replace a value whose user knew it? */
  const isBuiltOn = (edit: MadeEdit, property: ContactProperty, other: string): boolean => {
    const replaced = edit.before?.[property] ?? undefined;
    if (replaced === undefined || replaced === other) return replaced === other;
    const earlier = setBy(property, replaced);
    return earlier !== undefined && earlier !== edit && isBuiltOn(earlier, property, other);
  };
  /** Did a user who saw the value replace it, or delete the row? A user who changed another property did not. */
  const isReplaced = (property: ContactProperty, value: string): boolean =>
    edits.some(
      ({ kind, before, values }) =>
        before?.[property] === value && (kind === 'DELETE' || values[property] !== undefined),
    );
  /**
   * Did a later edit of the same database replace the value? A message may have been between the two, so that the later
   * user saw another value. The service had accepted the value, and its history has both events of the database in order.
   */
  const isReplacedAtHome = (edit: MadeEdit, property: ContactProperty, value: string): boolean =>
    evidence.isSentOn(property, value) &&
    edits
      .slice(edits.indexOf(edit) + 1)
      .some(({ database, values }) => database === edit.database && values[property] !== undefined);

  const judgeValue = (edit: MadeEdit, property: ContactProperty, value: string): void => {
    const place = `${property} of ${edit.database} at ${edit.atMs} ms`;
    const end = final?.[property] ?? undefined;
    if (end === value) return;
    // even if an event overrides it: no user has set the former value again
    if (end !== undefined && !isDeletedOnce && isBuiltOn(edit, property, end)) {
      faults.push(`${place} is undone: the value that its user replaced is back`);
      return;
    }
    if (isReplaced(property, value)) return;
    const reports = [...evidence.reportsOf(edit.database, property, value)];
    if (reports.some((report) => evidence.isOverridden(report, property))) overridden += 1;
    else if (!isReplacedAtHome(edit, property, value)) faults.push(`${place} is lost and not named`);
  };

  const isThere = (values: ContactChange): boolean =>
    contactProperties.some((name) => values[name] !== undefined && values[name] === final?.[name]);
  const isNamedDeletion = ({ database, atMs }: MadeEdit): boolean =>
    [...evidence.deletionsOf(database, atMs)].some((report) => evidence.isOverridden(report, undefined));
  /** Is the final row another one: inserted later, or by a user of another database who did not know the deleted row? */
  const isAnotherRow = (deletion: MadeEdit): boolean =>
    contactProperties.every((name) => final?.[name] !== deletion.before?.[name]) &&
    edits.some(({ kind, database, values }, index) => {
      const isUnseen = contactProperties.every((name) => values[name] !== deletion.before?.[name]);
      const isLater = index > edits.indexOf(deletion);
      return kind === 'INSERT' && (isLater || (database !== deletion.database && isUnseen));
    });
  /** Did users insert the row and delete it again before any scan saw it? Then the deletion changes nothing elsewhere. */
  const isShortLived = ({ database, before }: MadeEdit): boolean =>
    contactProperties.every((name) => {
      const value = before?.[name];
      if (typeof value !== 'string') return false;
      const isOwn = setBy(name, value)?.database === database;
      return isOwn && evidence.reportsOf(database, name, value).size === 0;
    });
  /**
   * Did the deletion of another database arrive before a scan saw this one? Then they are one deletion, and the service
   * names the one that it knows.
   */
  const isOneWithAnother = ({ database, atMs }: MadeEdit): boolean =>
    evidence.deletionsOf(database, atMs).size === 0 &&
    evidence.isSentDeletion(database, atMs - onTheWayMs) &&
    edits.some((other) => other.kind === 'DELETE' && other.database !== database && isNamedDeletion(other));

  /**
   * Did a message bring the row back to the database, and a later user there change it? The service had sent the deletion on, and
   * its history has both events of the database in order.
   */
  const isChangedAtHome = (deletion: MadeEdit): boolean => {
    const { database: home, atMs } = deletion;
    const others = new Set(edits.map(({ database }) => database)).add(0);
    others.delete(home);
    return (
      [...others].some((other) => evidence.isSentDeletion(other, atMs)) &&
      edits
        .slice(edits.indexOf(deletion) + 1)
        .some(({ database, kind, values }) => database === home && kind === 'UPDATE' && isThere(values))
    );
  };

  const judgeDeletion = (deletion: MadeEdit): void => {
    if (final === undefined) return;
    if (isNamedDeletion(deletion)) overridden += 1;
    else if (
      ![isAnotherRow, isShortLived, isOneWithAnother, isChangedAtHome].some((isAccountedFor) =>
        isAccountedFor(deletion),
      )
    )
      faults.push(`the deletion of ${deletion.database} at ${deletion.atMs} ms is lost and not named`);
  };

  for (const edit of edits) {
    if (edit.kind === 'DELETE') judgeDeletion(edit);
    for (const property of contactProperties) {
      const value = edit.values[property];
      if (value !== undefined) judgeValue(edit, property, value);
    }
  }
  for (const property of contactProperties) {
    const value = final?.[property] ?? undefined;
    if (value !== undefined && setBy(property, value) === undefined)
      faults.push(`no edit has set ${property} to ${value}`);
  }
  return { overridden, faults };
};
