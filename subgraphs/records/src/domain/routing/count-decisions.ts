import type { Decision, DecisionCount, OperationalDecision } from '@fds/governance-rules';

/** The decision of two zones' chains on a message. */
export interface Consultation {
  readonly sourceZoneUuid: string;
  readonly destinationZoneUuid: string;
  /** Null: the server's own store. */
  readonly destinationAdaptorUuid: string | null;
  readonly decision: Decision;
}

interface Consulted {
  readonly consulted?: readonly Consultation[];
  readonly operation?: OperationalDecision;
}

const nilUuid = '00000000-0000-0000-0000-000000000000';

/** Adds up what governance decided, each entry once, sorted by uuid and chain. */
export const countDecisions = (outcomes: Iterable<Consulted>): DecisionCount[] => {
  const counts = new Map<string, DecisionCount>();
  const count = (chain: DecisionCount['chain'], subjectUuid: string, result: 'ALLOW' | 'DENY'): void => {
    const key = `${subjectUuid}${chain}`;
    const { allowed, denied } = counts.get(key) ?? { allowed: 0, denied: 0 };
    counts.set(key, {
      chain,
      subjectUuid,
      allowed: allowed + (result === 'ALLOW' ? 1 : 0),
      denied: denied + (result === 'DENY' ? 1 : 0),
    });
  };
  for (const { consulted = [], operation } of outcomes) {
    for (const { decision, sourceZoneUuid, destinationZoneUuid } of consulted) {
      for (const { chain, aclUuid, result } of decision.applied) count(chain, aclUuid, result);
      for (const chain of decision.byDefault) {
        count(chain, chain === 'OUTBOUND' ? sourceZoneUuid : destinationZoneUuid, 'ALLOW');
      }
    }
    if (operation === undefined) continue;
    const { applied } = operation;
    count('OPERATIONAL', applied?.aclUuid ?? nilUuid, applied?.result ?? 'ALLOW');
  }
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, counted]) => counted);
};
