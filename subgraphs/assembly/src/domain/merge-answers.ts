import type { Tier } from '@fds/assembly-contract';
import type { JsonObject, JsonValue } from '@fds/json';
import type { Source } from './source.js';

/** What one source sent for a record. */
export interface RecordAnswer {
  readonly source: Source;
  readonly data: JsonObject;
  /** Epoch ms of the latest change known; 0 = unknown. */
  readonly lastUpdated: number;
}

/** A record merged from its answers, and where each property came from. */
export interface MergedRecord {
  readonly data: JsonObject;
  readonly provenance: Readonly<Record<string, { readonly adaptorUuid: string; readonly tier: Tier }>>;
}

const rank: Readonly<Record<Tier, number>> = { GOLD: 0, SILVER: 1, BRONZE: 2 };

/** Best first: highest tier, then the latest change, then the adaptor's name. */
const byPriority = (one: RecordAnswer, other: RecordAnswer): number =>
  rank[one.source.tier] - rank[other.source.tier] ||
  other.lastUpdated - one.lastUpdated ||
  (one.source.name < other.source.name ? -1 : one.source.name > other.source.name ? 1 : 0);

/**
 * Merges per top-level property: the value of the best source that sent it; null is a value, absence is not.
 * Properties of one group are taken together from the best source that sent any of them (decisions, section 11).
 *
 * @param properties names in the order of the model; only these are taken
 * @param groups `propertyGroups` of the model
 */
export const mergeAnswers = (
  answers: readonly RecordAnswer[],
  properties: readonly string[],
  groups: readonly (readonly string[])[],
): MergedRecord => {
  const ordered = [...answers].sort(byPriority);
  const groupOf = new Map(groups.flatMap((group) => group.map((name) => [name, group] as const)));
  const data = Object.create(null) as Record<string, JsonValue>;
  const provenance: Record<string, { adaptorUuid: string; tier: Tier }> = {};
  for (const property of properties) {
    const deciding = groupOf.get(property) ?? [property];
    const best = ordered.find((answer) => deciding.some((name) => answer.data[name] !== undefined));
    const value = best?.data[property];
    if (best === undefined || value === undefined) continue;
    data[property] = value;
    provenance[property] = { adaptorUuid: best.source.adaptorUuid, tier: best.source.tier };
  }
  return { data: { ...data }, provenance };
};
