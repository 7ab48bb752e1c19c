import type { LeaseState } from '../store/lease.js';

/** Changes that bring the leases of one process to its share. */
export interface ShareDecision {
  /** Number of free adaptors to take. */
  readonly take: number;
  /** Adaptors for other processes. */
  readonly give: readonly { readonly to: string; readonly adaptorUuids: readonly string[] }[];
}

/** Each member has between floor and ceiling of adaptors by members; the first members have the ceiling. */
const shareOf = (index: number, { adaptors, members }: LeaseState): number =>
  Math.floor(adaptors / members.length) + (index < adaptors % members.length ? 1 : 0);

/**
 * Decides what the process does to reach its share. All processes decide by the same rule on their own, so that their shares
 * become even after a few rounds. Without any member, as in a test without a service, the process takes everything that is
 * free. A process that is not a member gives everything to the members: it ends.
 */
export const decideShares = (self: string, state: LeaseState): ShareDecision => {
  const { members, adaptors, mine } = state;
  if (members.length === 0) return { take: adaptors, give: [] };
  const index = members.findIndex(({ uuid }) => uuid === self);
  const share = index === -1 ? 0 : shareOf(index, state);
  if (mine.length <= share) return { take: share - mine.length, give: [] };
  let rest = mine.slice(share);
  const give = members.flatMap(({ uuid, held }, at) => {
    const missing = Math.max(0, shareOf(at, state) - held);
    const adaptorUuids = uuid === self ? [] : rest.slice(0, missing);
    rest = rest.slice(adaptorUuids.length);
    return adaptorUuids.length === 0 ? [] : [{ to: uuid, adaptorUuids }];
  });
  return { take: 0, give };
};
