import { parseJson, stringifyJson, type JsonObject, type JsonValue } from '@fds/json';
import type { MeshAdaptor } from './mesh-adaptor.js';

/** A value that a user set at an adaptor. Each value is set once in a mesh. */
interface SetValue {
  readonly id: number;
  readonly property: string;
  /** Where it was set. */
  readonly adaptorUuid: string;
  /** The value that the adaptor had; undefined: none. */
  readonly replaced: string | undefined;
}

/** What happened at the adaptors of a mesh in which events wait, to judge that no change was lost or undone. */
export interface MeshHistory {
  /** A user sets a value at an adaptor. */
  set(adaptor: MeshAdaptor, change: { readonly id: number; readonly property: string; readonly value: string }): void;
  /**
   * A user is about to set back a value that all adaptors have.
   *
   * @returns the value before it; undefined: it cannot be told from others
   */
  setBack(
    adaptors: readonly MeshAdaptor[],
    place: { readonly id: number; readonly property: string },
  ): string | undefined;
  /** An adaptor reports a record to the server. */
  reported(transactionUuid: string, json: JsonObject | undefined): void;
  /** A person drops an event that waits. */
  dropped(dataEvent: string): void;
  /** An event overrides properties of the event of a transaction. */
  overrode(transactionUuid: string, properties: readonly string[]): void;
  /** Reported values that are gone although no user who saw them replaced them, and no event names them as overridden; sentences. */
  unnamed(adaptors: readonly MeshAdaptor[]): readonly string[];
  /** Reported changes that are lost or undone, and adaptors that differ; sentences. */
  faults(adaptors: readonly MeshAdaptor[]): readonly string[];
}

const textOf = (value: JsonValue | undefined): string | undefined => (typeof value === 'string' ? value : undefined);

export const createMeshHistory = (): MeshHistory => {
  const values = new Map<string, SetValue>();
  /** By value, the transactions that reported it. */
  const reports = new Map<string, Set<string>>();
  const dropped = new Set<string>();
  /** By transaction, the record that it reported. */
  const records = new Map<string, JsonObject>();
  const overridden = new Set<string>();

  /** A value whose events were all dropped stays at its adaptor alone. */
  const isAccepted = (value: string): boolean => [...(reports.get(value) ?? [])].some((event) => !dropped.has(event));
  /** The values that a value replaced, and those that these replaced. */
  const before = (value: string): ReadonlySet<string | undefined> => {
    const found = new Set<string | undefined>();
    for (let at = values.get(value); at !== undefined && !found.has(at.replaced);) {
      found.add(at.replaced);
      at = at.replaced === undefined ? undefined : values.get(at.replaced);
    }
    return found;
  };

  return {
    set: ({ uuid: adaptorUuid, rows }, { id, property, value }) => {
      values.set(value, { id, property, adaptorUuid, replaced: textOf(rows.get(id)?.[property]) });
    },
    setBack: (adaptors, { id, property }) => {
      const present = new Set(adaptors.map(({ rows }) => textOf(rows.get(id)?.[property])));
      const [value] = present;
      const last = value === undefined ? undefined : values.get(value);
      const { replaced } = last ?? {};
      const earlier = replaced === undefined ? undefined : values.get(replaced);
      if (present.size !== 1 || value === undefined || last === undefined) return undefined;
      if (replaced === undefined || earlier === undefined) return undefined;
      if ([...values.values()].filter((each) => each.replaced === replaced).length > 1) return undefined;
      // from now on the earlier value is the one that replaced the other
      values.set(value, { ...last, replaced: earlier.replaced });
      values.set(replaced, { ...earlier, replaced: value });
      reports.delete(replaced);
      return replaced;
    },
    reported: (transactionUuid, json) => {
      if (json !== undefined) records.set(transactionUuid, json);
      for (const value of Object.values(json ?? {})) {
        if (typeof value === 'string') reports.set(value, (reports.get(value) ?? new Set()).add(transactionUuid));
      }
    },
    dropped: (dataEvent) => {
      const { transactionUuid } = parseJson(dataEvent) as { readonly transactionUuid: string };
      dropped.add(transactionUuid);
    },
    overrode: (transactionUuid, properties) => {
      for (const property of properties) {
        const value = textOf(records.get(transactionUuid)?.[property]);
        if (value !== undefined) overridden.add(value);
      }
    },
    unnamed: (adaptors) => {
      const there = new Set(adaptors.flatMap(({ rows }) => [...rows.values()].flatMap((row) => Object.values(row))));
      const explained = new Set<JsonValue | undefined>();
      const explain = (value: string): void => {
        const set = values.get(value);
        if (set === undefined || explained.has(value)) return;
        explained.add(value);
        if (set.replaced !== undefined) explain(set.replaced);
        // users of one system know their own earlier values
        for (const [other, { id, property, adaptorUuid }] of values) {
          if (other === value) break;
          if (id === set.id && property === set.property && adaptorUuid === set.adaptorUuid) explain(other);
        }
      };
      for (const value of values.keys()) if (there.has(value) || overridden.has(value)) explain(value);
      return [...values]
        .filter(([value]) => isAccepted(value) && !explained.has(value))
        .map(([value, { id, property }]) => `${property} of ${id}: ${value} is gone, and no event names it`);
    },
    faults: (adaptors) => {
      const found: string[] = [];
      const places = new Map(
        [...values.values()].map(({ id, property }) => [`${property} of ${id}`, { id, property }]),
      );
      for (const [place, { id, property }] of places) {
        const present = adaptors.map(({ rows }) => textOf(rows.get(id)?.[property]));
        const last = new Set(present.filter((value) => value === undefined || isAccepted(value)));
        if (last.size > 1) found.push(`${place} differs: ${stringifyJson(present.map((value) => value ?? null))}`);
        for (const [value, set] of values) {
          if (set.id !== id || set.property !== property || !isAccepted(value)) continue;
          const older = before(value);
          for (const end of last) {
            if (older.has(end)) found.push(`${place}: ${value} is lost, ${end ?? 'nothing'} is there`);
          }
        }
      }
      return found;
    },
  };
};
