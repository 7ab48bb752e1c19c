import type { AssemblyRequest, Tier } from '@fds/assembly-contract';
import type { Source } from './source.js';

/** An adaptor capable of GET for the domain version. */
export interface CapableAdaptor extends Omit<Source, 'tier'> {
  /** The tier from the preferences of the asking zone. */
  readonly preferredTier: Tier;
}

type Selection = Pick<AssemblyRequest, 'adaptors' | 'goldAdaptors' | 'silverAdaptors' | 'bronzeAdaptors'>;

/** The tiers of the request's own priority lists; the best tier for an adaptor in several lists. */
const requestedTiers = ({ goldAdaptors, silverAdaptors, bronzeAdaptors }: Selection): ReadonlyMap<string, Tier> =>
  new Map<string, Tier>([
    ...(bronzeAdaptors ?? []).map((uuid) => [uuid, 'BRONZE'] as const),
    ...(silverAdaptors ?? []).map((uuid) => [uuid, 'SILVER'] as const),
    ...(goldAdaptors ?? []).map((uuid) => [uuid, 'GOLD'] as const),
  ]);

/**
 * The adaptors to ask, with their tier (docs/reference/assembly.md#adaptors-asked): those in any of the four lists,
 * otherwise every capable one. Priority lists replace the zone's preferences for the request. An adaptor in none of
 * them is bronze.
 */
export const chooseSources = (request: Selection, capable: readonly CapableAdaptor[]): readonly Source[] => {
  const tiers = requestedTiers(request);
  const named = new Set([...(request.adaptors ?? []), ...tiers.keys()]);
  return capable
    .filter(({ adaptorUuid }) => named.size === 0 || named.has(adaptorUuid))
    .map(({ preferredTier, ...adaptor }) => ({
      ...adaptor,
      tier: tiers.size === 0 ? preferredTier : (tiers.get(adaptor.adaptorUuid) ?? 'BRONZE'),
    }));
};
