import type { MergePlan } from './merge-plan.js';
import type { VisibleProperties } from './visibility.js';

/** Records for which an adaptor is asked for the same properties. */
export interface QuestionPart {
  readonly recordUuids: readonly string[];
  /** Null: everything. */
  readonly requestedProperties: readonly string[] | null;
}

/** The properties of a record to ask for, without those that the caller may not see. Null: everything. */
const propertiesToAsk = (
  { read, isEverything }: MergePlan,
  { extent, has }: VisibleProperties,
): readonly string[] | null => {
  if (isEverything && extent === 'ALL') return null;
  return read.map(({ property }) => property.name).filter((name) => has(name));
};

/** One part, unless the caller may see more of some records than of others. */
export const splitQuestion = (
  recordUuids: Iterable<string>,
  plan: MergePlan,
  visibleOf: (recordUuid: string) => VisibleProperties,
): readonly QuestionPart[] => {
  const parts = new Map<string, { recordUuids: string[]; requestedProperties: readonly string[] | null }>();
  const known = new Map<VisibleProperties, string[]>();
  for (const recordUuid of recordUuids) {
    const visible = visibleOf(recordUuid);
    const before = known.get(visible);
    if (before !== undefined) {
      before.push(recordUuid);
      continue;
    }
    const requestedProperties = propertiesToAsk(plan, visible);
    const key = JSON.stringify(requestedProperties);
    const part = parts.get(key) ?? { recordUuids: [], requestedProperties };
    part.recordUuids.push(recordUuid);
    parts.set(key, part);
    known.set(visible, part.recordUuids);
  }
  return [...parts.values()];
};
