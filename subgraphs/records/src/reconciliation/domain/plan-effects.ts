import type { JsonObject } from '@fds/json';
import type { HeldValues } from '../../domain/issues/send-again.js';
import type { EventSource } from '../../domain/routing/ask-governance.js';
import { hasValues, type Comparison, type Side } from './compare-record.js';
import { chooseValues, takenOfOthers, type ChosenValue, type ValueFacts, type ValuePolicy } from './choose-values.js';

type MissingPolicy = 'SEND' | 'KEEP';

/** The effects that a reconciliation may have on records that differ or that a side lacks. */
export interface ReconciliationPolicy {
  readonly preview: boolean;
  readonly values: ValuePolicy;
  readonly missingHere: MissingPolicy;
  readonly missingThere: MissingPolicy;
}

/** Values of one side that other sides are sent. */
export interface ValueTransfer {
  readonly from: string | null;
  readonly to: string | null;
  readonly properties: readonly string[];
}

/** A whole record that a side lacks. */
export interface RecordTransfer {
  readonly to: string;
  /** The one with the most values first. */
  readonly held: readonly HeldValues[];
}

/** The effects of a reconciliation on one record. */
export interface RecordEffects {
  readonly chosen: readonly ChosenValue[];
  readonly values: readonly ValueTransfer[];
  readonly records: readonly RecordTransfer[];
}

interface ComparedRecord {
  readonly here: Side;
  readonly others: readonly Side[];
  readonly comparison: Comparison;
}

/** Values by their side, as assembly merges the others. */
const mergeOthers = (others: readonly Side[], facts: ValueFacts): ReadonlyMap<string | null, JsonObject> => {
  const parts = new Map<string | null, JsonObject>();
  const names = new Set(
    others.flatMap(({ reading }) => (reading.kind === 'VALUES' ? Object.keys(reading.values) : [])),
  );
  for (const property of names) {
    const side = takenOfOthers(property, others, facts);
    const value = side?.reading.kind === 'VALUES' ? side.reading.values[property] : undefined;
    if (side !== undefined && value !== undefined) {
      parts.set(side.uuid, { ...parts.get(side.uuid), [property]: value });
    }
  }
  return parts;
};

const transfersOf = (chosen: readonly ChosenValue[]): readonly ValueTransfer[] => {
  const transfers = new Map<string, { from: string | null; to: string | null; properties: string[] }>();
  for (const { property, from, to: addressed } of chosen) {
    for (const to of addressed) {
      const key = `${from}:${to}`;
      const known = transfers.get(key);
      if (known === undefined) transfers.set(key, { from, to, properties: [property] });
      else known.properties.push(property);
    }
  }
  return [...transfers.values()];
};

/**
 * Decides what is sent about a compared record. Nothing is sent in a preview, but the chosen values are named.
 *
 * @param sourceOf the place of a side for governance
 */
export const planEffects = (
  { preview, values, missingHere, missingThere }: ReconciliationPolicy,
  compared: ComparedRecord,
  facts: ValueFacts,
  sourceOf: (side: string | null) => EventSource,
): RecordEffects => {
  const { here, others, comparison } = compared;
  const chosen = chooseValues(values, compared, facts);
  if (preview) return { chosen, values: [], records: [] };
  const records: RecordTransfer[] = [];
  if (comparison.kind === 'MISSING_HERE' && missingHere === 'SEND' && here.uuid !== null) {
    const held = [...mergeOthers(others, facts)].map(([side, json]) => ({ source: sourceOf(side), json }));
    const bySize = held.toSorted((one, other) => Object.keys(other.json).length - Object.keys(one.json).length);
    records.push({ to: here.uuid, held: bySize });
  }
  if (missingThere === 'SEND' && hasValues(here)) {
    const held = [{ source: sourceOf(here.uuid), json: here.reading.values }];
    for (const to of comparison.lackedBy) if (to !== null) records.push({ to, held });
  }
  return { chosen, values: transfersOf(chosen), records };
};
