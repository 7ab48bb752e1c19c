import type { ReleasePolicy, Tier } from '@fds/assembly-contract';
import type { AskedSource } from './source.js';

const tiersOf = (policy: ReleasePolicy): readonly (readonly Tier[])[] => {
  if (policy === 'GOLD') return [['GOLD'], ['SILVER']];
  if (policy === 'GOLD_SILVER') return [['GOLD', 'SILVER']];
  return [];
};

/**
 * The sources that decide under the policy (docs/reference/assembly.md#release): GOLD the gold ones, without any
 * the silver ones; GOLD_SILVER means both tiers. If the policy's tiers have no source, and under ASAP, all sources are
 * preferred.
 */
export const preferredSources = <Asked extends AskedSource>(
  policy: ReleasePolicy,
  asked: readonly Asked[],
): readonly Asked[] => {
  for (const tiers of tiersOf(policy)) {
    const preferred = asked.filter(({ source }) => tiers.includes(source.tier));
    if (preferred.length > 0) return preferred;
  }
  return asked;
};

const isSettled = ({ outcome }: AskedSource): boolean => outcome !== 'PENDING';

/** Only data answers a record. A source whose answer leaves it out, or that no longer has it, does not release it. */
const isAnswered = (recordUuid: string, asked: readonly AskedSource[]): boolean =>
  asked.some(({ sent }) => (sent.get(recordUuid)?.data ?? null) !== null);

/**
 * May the answer be sent before the time-out? The policy does not wait for a source that failed. A source that is down
 * was not asked, so it has no influence: without a gold adaptor to ask, GOLD waits for the silver ones.
 */
export const isReleased = (
  policy: ReleasePolicy,
  asked: readonly AskedSource[],
  recordUuids: readonly string[],
): boolean => {
  if (asked.every(isSettled)) return true;
  if (policy !== 'ASAP') {
    return preferredSources(
      policy,
      asked.filter(({ outcome }) => outcome !== 'DOWN'),
    ).every(isSettled);
  }
  const pending = asked.filter((one) => !isSettled(one));
  return recordUuids.every(
    (uuid) => isAnswered(uuid, asked) || !pending.some((source) => source.recordUuids.has(uuid)),
  );
};

/** May a record of a progressive answer be sent now? The policy is applied to the sources that have the record. */
export const isRecordReleased = (policy: ReleasePolicy, asked: readonly AskedSource[], recordUuid: string): boolean =>
  isReleased(
    policy,
    asked.filter(({ recordUuids }) => recordUuids.has(recordUuid)),
    [recordUuid],
  );
