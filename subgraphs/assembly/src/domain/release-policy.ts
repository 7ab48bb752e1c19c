import type { AssembledStatus, ReleasePolicy, Tier } from '@fds/assembly-contract';
import type { AskedSource } from './source.js';

const tiersOf = (policy: ReleasePolicy): readonly (readonly Tier[])[] => {
  if (policy === 'GOLD') return [['GOLD'], ['SILVER']];
  if (policy === 'GOLD_SILVER') return [['GOLD', 'SILVER']];
  return [];
};

/**
 * The sources the policy waits for (decisions, section 11): GOLD the gold ones, without any the silver ones;
 * GOLD_SILVER both; all of them where there are none, and with ASAP.
 */
const preferredSources = (policy: ReleasePolicy, asked: readonly AskedSource[]): readonly AskedSource[] => {
  for (const tiers of tiersOf(policy)) {
    const preferred = asked.filter(({ source }) => tiers.includes(source.tier));
    if (preferred.length > 0) return preferred;
  }
  return asked;
};

const isSettled = ({ outcome }: AskedSource): boolean => outcome !== 'PENDING';

const isAnswered = (recordUuid: string, asked: readonly AskedSource[]): boolean =>
  asked.some(({ outcome, recordUuids }) => outcome === 'ANSWERED' && recordUuids.has(recordUuid));

/** May the answer go out now, before the time-out? Who is down or failed is not waited for. */
export const isReleased = (
  policy: ReleasePolicy,
  asked: readonly AskedSource[],
  recordUuids: readonly string[],
): boolean => {
  if (asked.every(isSettled)) return true;
  if (policy !== 'ASAP') return preferredSources(policy, asked).every(isSettled);
  const pending = asked.filter((one) => !isSettled(one));
  return recordUuids.every(
    (uuid) => isAnswered(uuid, asked) || !pending.some((source) => source.recordUuids.has(uuid)),
  );
};

/** May a record of a progressive answer go out now? The policy is applied to the sources that hold the record. */
export const isRecordReleased = (policy: ReleasePolicy, asked: readonly AskedSource[], recordUuid: string): boolean =>
  isReleased(
    policy,
    asked.filter(({ recordUuids }) => recordUuids.has(recordUuid)),
    [recordUuid],
  );

/** How complete a record's data is, judged by the sources that hold it. */
export const statusOf = (policy: ReleasePolicy, asked: readonly AskedSource[], recordUuid: string): AssembledStatus => {
  const holders = asked.filter(({ recordUuids }) => recordUuids.has(recordUuid));
  const answered = holders.filter(({ outcome }) => outcome === 'ANSWERED');
  if (answered.length === 0) return 'UNAVAILABLE';
  const preferred = preferredSources(policy, asked).filter(({ recordUuids }) => recordUuids.has(recordUuid));
  const preferredAnswered = preferred.filter(({ outcome }) => outcome === 'ANSWERED');
  if (preferredAnswered.length === preferred.length) return 'PREFERRED_COMPLETE';
  return preferredAnswered.length > 0 ? 'PREFERRED_PARTIAL' : 'FALLBACK';
};
