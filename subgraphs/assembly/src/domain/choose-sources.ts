import type { AssemblyRequest, Tier } from '@fds/assembly-contract';
import type { Source } from './source.js';

/** An adaptor capable of GET for the domain version. */
export interface CapableAdaptor extends Omit<Source, 'tier'> {
  /** By the preferences of the asking zone. */
  readonly preferredTier: Tier;
}

type Selection = Pick<AssemblyRequest, 'adaptors' | 'goldAdaptors' | 'silverAdaptors' | 'bronzeAdaptors'>;

/** The tiers that the request's own priority lists set; the best tier where an adaptor is in several lists. */
const requestedTiers = ({ goldAdaptors, silverAdaptors, bronzeAdaptors }: Selection): ReadonlyMap<string, Tier> =>
  new Map<string, Tier>([
    ...(bronzeAdaptors ?? []).map((uuid) => [uuid, 'BRONZE'] as const),
    ...(silverAdaptors ?? []).map((uuid) => [uuid, 'SILVER'] as const),
    ...(goldAdaptors ?? []).map((uuid) => [uuid, 'GOLD'] as const),
  ]);

/**
 * The adaptors to ask, with their tier (docs/specification/assembly.md#adaptors-asked): those named in any of the four
 * lists, otherwise every capable one. Priority lists replace the zone's preferences for the request: an adaptor in none
 * of them is bronze.
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
