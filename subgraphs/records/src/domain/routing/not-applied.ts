import { storableStart } from '@fds/json';

/** The properties that an adaptor could not apply, by its reason. */
export type NotApplied = Readonly<Record<string, readonly string[]>>;

/** Most characters of a reason; the rest of a longer one is cut off. */
export const maxReason = 500;

/** Most characters of the JSON text that is kept for one message. */
export const maxNotApplied = 8_192;

/** A name is not stored as a member, because it might be `__proto__`. */
const asRecord = (reasons: ReadonlyMap<string, readonly string[]>): NotApplied => Object.fromEntries(reasons);

/**
 * The properties that an adaptor could not apply, with those of one more report. A property keeps its last reason. Names
 * that the message does not have, and names that exceed the limit, are left out.
 *
 * @param carried the properties of the message
 */
export const withNotApplied = (
  known: NotApplied,
  report: { readonly properties: readonly string[]; readonly reason: string },
  carried: ReadonlySet<string>,
): NotApplied => {
  const reason = storableStart(report.reason, maxReason);
  const named = new Set(report.properties.filter((name) => carried.has(name)));
  const reasons = new Map<string, string[]>();
  for (const [each, names] of Object.entries(known)) {
    const left = names.filter((name) => !named.has(name));
    if (left.length > 0) reasons.set(each, left);
  }
  let size = JSON.stringify(asRecord(reasons)).length + JSON.stringify(reason).length;
  for (const name of named) {
    size += JSON.stringify(name).length + 1;
    if (size > maxNotApplied) break;
    reasons.set(reason, [...(reasons.get(reason) ?? []), name]);
  }
  return asRecord(reasons);
};

/** The properties that a destination could not apply, with its reason, by name. */
export const listNotApplied = (
  notApplied: NotApplied | null,
): readonly { readonly property: string; readonly reason: string }[] =>
  Object.entries(notApplied ?? {})
    .flatMap(([reason, names]) => names.map((property) => ({ property, reason })))
    .toSorted((one, other) => (one.property < other.property ? -1 : 1));
