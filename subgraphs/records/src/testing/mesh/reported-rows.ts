import type { JsonObject, JsonValue } from '@fds/json';

/**
 * The values that an adaptor of a mesh last reported or applied, next to the rows that its users change, and the messages
 * against which it keeps values that are not reported yet.
 */
export interface ReportedRows {
  /** The rows that are there or were there. */
  ids(): ReadonlySet<number>;
  /** Was the row there when it was last reported or applied? */
  has(id: number): boolean;
  /** The properties of a row that its users have changed since. */
  differing(id: number): readonly string[];
  /** Notes the message if a user's value of the property is kept against it. */
  keeps(id: number, property: string, sequence: number): boolean;
  /** As `keeps`, for a message that deletes the row: a row with any change of its users stays, and is reported whole. */
  keepsRow(id: number, sequence: number): boolean;
  /** As `keeps`, for a row that a user deleted. If it comes back before the report, the properties are reported too. */
  keepsDeletion(id: number, properties: readonly string[], sequence: number): boolean;
  /** A message wrote these properties of the row. */
  applied(id: number, properties: readonly string[]): void;
  forget(id: number): void;
  /**
   * The row was read and is reported.
   *
   * @returns the first message against which a property of the report was kept
   */
  reported(id: number, row: JsonObject | undefined, properties: readonly string[]): number | undefined;
}

/** No user sets this value: a property that has it differs. */
const keptOut = 'kept out';

/** Stands for the row in the notes about messages. */
const wholeRow = '';

export const createReportedRows = (rows: ReadonlyMap<number, JsonObject>): ReportedRows => {
  const known = new Map<number, Record<string, JsonValue | undefined>>();
  const kept = new Map<number, Map<string, number>>();

  const differs = (id: number, property: string): boolean =>
    (rows.get(id)?.[property] ?? null) !== (known.get(id)?.[property] ?? null);
  const note = (id: number, property: string, sequence: number): void => {
    const messages = kept.get(id) ?? new Map<string, number>();
    kept.set(id, messages);
    if (!messages.has(property)) messages.set(property, sequence);
  };
  const differing = (id: number): readonly string[] => {
    const names = new Set([...Object.keys(rows.get(id) ?? {}), ...Object.keys(known.get(id) ?? {})]);
    return rows.has(id) ? [...names].filter((name) => differs(id, name)) : [];
  };
  const take = (id: number, row: JsonObject, properties: readonly string[]): void => {
    known.set(id, { ...known.get(id), ...Object.fromEntries(properties.map((name) => [name, row[name]])) });
  };

  return {
    ids: () => new Set([...rows.keys(), ...known.keys()]),
    has: (id) => known.has(id),
    differing,
    keeps: (id, property, sequence) => {
      if (!rows.has(id) || property === 'id' || !differs(id, property)) return false;
      note(id, property, sequence);
      return true;
    },
    keepsRow: (id, sequence) => {
      if (differing(id).length === 0) return false;
      for (const property of Object.keys(rows.get(id) ?? {})) note(id, property, sequence);
      known.delete(id);
      return true;
    },
    keepsDeletion: (id, properties, sequence) => {
      if (rows.has(id) || !known.has(id)) return false;
      for (const property of [wholeRow, ...properties]) note(id, property, sequence);
      take(id, Object.fromEntries(properties.map((name) => [name, keptOut])), properties);
      return true;
    },
    applied: (id, properties) => take(id, rows.get(id) ?? {}, properties),
    forget: (id) => {
      known.delete(id);
      kept.delete(id);
    },
    reported: (id, row, properties) => {
      const messages = kept.get(id) ?? new Map<string, number>();
      const names = row === undefined ? [...messages.keys()] : properties;
      const [first] = names.flatMap((name) => messages.get(name) ?? []).toSorted((one, other) => one - other);
      for (const name of names) messages.delete(name);
      if (row !== undefined) take(id, row, properties);
      else if (!rows.has(id)) known.delete(id);
      return first;
    },
  };
};
