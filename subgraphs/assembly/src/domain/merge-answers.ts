import type { Tier } from '@fds/assembly-contract';
import type { JsonObject, JsonValue } from '@fds/json';
import type { MergePlan } from './merge-plan.js';
import type { RecordAnswer } from './record-answer.js';

/** A merged record, with the answer that supplied each property. */
export interface MergedRecord {
  readonly data: JsonObject;
  readonly origins: readonly (readonly [property: string, answer: RecordAnswer])[];
}

const rank: Readonly<Record<Tier, number>> = { GOLD: 0, SILVER: 1, BRONZE: 2 };

const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Best first: highest tier, then the latest change, then the adaptor's name, then its uuid. Names need not be unique. */
const byPriority = (one: RecordAnswer, other: RecordAnswer): number =>
  rank[one.source.tier] - rank[other.source.tier] ||
  other.lastUpdated - one.lastUpdated ||
  compareTexts(one.source.name, other.source.name) ||
  compareTexts(one.source.adaptorUuid, other.source.adaptorUuid);

/**
 * Merges by property at the top level, with the value of the best source that sent it. Null is a value, and a missing
 * member is not. Properties of one group are taken together from the best source that sent any of them
 * (docs/reference/assembly.md#merging).
 */
export const mergeAnswers = (answers: readonly RecordAnswer[], { requested, deciding }: MergePlan): MergedRecord => {
  const ordered = answers.length > 1 ? [...answers].sort(byPriority) : answers;
  const members: [string, JsonValue][] = [];
  const origins: [string, RecordAnswer][] = [];
  for (const { property } of requested) {
    const names = deciding.get(property.name) ?? [property.name];
    const best = ordered.find(({ values }) => names.some((name) => values.has(name)));
    const value = best?.values.get(property.name);
    if (best === undefined || value === undefined) continue;
    members.push([property.name, value]);
    origins.push([property.name, best]);
  }
  return { data: Object.fromEntries(members), origins };
};

/** `{property: {adaptorUuid, tier}}` (docs/reference/assembly.md#response). */
export const provenanceOf = ({
  origins,
}: MergedRecord): Record<string, { readonly adaptorUuid: string; readonly tier: Tier }> =>
  Object.fromEntries(
    origins.map(([property, { source }]) => [property, { adaptorUuid: source.adaptorUuid, tier: source.tier }]),
  );
