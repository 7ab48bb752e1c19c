import { contactProperties, type Contact, type ContactChange, type ContactProperty } from './contact-database.js';

/** An edit that a user has made. Each value is set once in a run, so it identifies the edit. */
export interface MadeEdit {
  readonly atMs: number;
  readonly database: number;
  readonly kind: 'UPDATE' | 'INSERT' | 'DELETE';
  readonly values: ContactChange;
  /** The row that the user saw; undefined: an INSERT. */
  readonly before: Contact | undefined;
}

/** A change of a made edit. */
export interface Effect {
  readonly edit: MadeEdit;
  /** Undefined: the row as a whole, by a DELETE. */
  readonly property: ContactProperty | undefined;
}

const effectsOf = (edit: MadeEdit): readonly Effect[] =>
  edit.kind === 'DELETE'
    ? [{ edit, property: undefined }]
    : contactProperties.filter((name) => edit.values[name] !== undefined).map((property) => ({ edit, property }));

/** Did the edit insert the row after the deletion, or in another database, where the user of the deletion had not seen it? */
const isAnotherRow = ({ kind, atMs, database, values }: MadeEdit, deletion: MadeEdit): boolean => {
  const isUnseen = contactProperties.every((name) => values[name] !== deletion.before?.[name]);
  return kind === 'INSERT' && (atMs > deletion.atMs || (database !== deletion.database && isUnseen));
};

/**
 * The effects of a record's edits that are neither in its final row nor replaced by an edit of a user who had seen them.
 * The service must name each of them as overridden.
 *
 * @param final the row that all databases have; undefined: none
 */
export const unseenEffects = (edits: readonly MadeEdit[], final: Contact | undefined): readonly Effect[] =>
  edits.flatMap(effectsOf).filter(({ edit, property }) => {
    if (property === undefined) return final !== undefined && !edits.some((other) => isAnotherRow(other, edit));
    const value = edit.values[property];
    return final?.[property] !== value && !edits.some(({ before }) => before?.[property] === value);
  });

/**
 * Did a user insert the row and delete it again before any scan saw it? Then the deletion changes nothing elsewhere.
 *
 * @param isReported did the database report the row with this value of a property?
 */
export const isShortLived = (
  edits: readonly MadeEdit[],
  { database, before }: MadeEdit,
  isReported: (property: ContactProperty, value: string) => boolean,
): boolean =>
  contactProperties.every((name) => {
    const value = before?.[name];
    const isOwn = edits.some((edit) => edit.database === database && edit.values[name] === value);
    return typeof value === 'string' && isOwn && !isReported(name, value);
  });

/**
 * Did a later edit of the same database replace the value? A message may have been between the two, so that the later user
 * saw another value; the reports of one database are still in order.
 */
export const isReplacedAtHome = (edits: readonly MadeEdit[], { edit, property }: Effect): boolean =>
  property !== undefined &&
  edits.some(
    ({ database, atMs, values }) => database === edit.database && atMs > edit.atMs && values[property] !== undefined,
  );

/** Values of the final row that no edit has set; names of their properties. */
export const inventedValues = (
  edits: readonly MadeEdit[],
  first: Contact | undefined,
  final: Contact | undefined,
): readonly ContactProperty[] =>
  contactProperties.filter((name) => {
    const value = final?.[name] ?? null;
    return value !== null && value !== first?.[name] && !edits.some(({ values }) => values[name] === value);
  });
