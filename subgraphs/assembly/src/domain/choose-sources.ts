import type { AssemblyRequest, Tier } from '@fds/assembly-contract';
import type { Source } from './source.js';

/** An adaptor capable of GET for the domain version. */
export type CapableAdaptor = Omit<Source, 'tier'>;

/**
 * The adaptors to ask, with their tier (server.md, Assembly service): those named in any of the four lists, else every
 * capable one. Who is in no priority list is bronze.
 */
export const chooseSources = (
  request: Pick<AssemblyRequest, 'adaptors' | 'goldAdaptors' | 'silverAdaptors' | 'bronzeAdaptors'>,
  capable: readonly CapableAdaptor[],
): readonly Source[] => {
  const tiers = new Map<string, Tier>([
    ...(request.bronzeAdaptors ?? []).map((uuid) => [uuid, 'BRONZE'] as const),
    ...(request.silverAdaptors ?? []).map((uuid) => [uuid, 'SILVER'] as const),
    ...(request.goldAdaptors ?? []).map((uuid) => [uuid, 'GOLD'] as const),
  ]);
  const named = new Set([...(request.adaptors ?? []), ...tiers.keys()]);
  return capable
    .filter(({ adaptorUuid }) => named.size === 0 || named.has(adaptorUuid))
    .map((adaptor) => ({
      ...adaptor,
      tier: tiers.get(adaptor.adaptorUuid) ?? 'BRONZE',
    }));
};
