import type { AssemblyResponse } from '@fds/assembly-contract';
import type { Gathered } from './gathering.js';

export type Completeness = AssemblyResponse['completeness'][number];

/** The outcome of one window. */
export interface WindowOutcome {
  readonly gathered: readonly Gathered[];
  /** Uuids of the adaptors that the caller may not have the records from. */
  readonly denied: readonly string[];
}

/** Counts the outcomes of adaptors over the windows of an answer. */
export interface CompletenessTotal {
  add(outcome: WindowOutcome): void;
  /** Each adaptor once, with its worst outcome and its longest time. */
  entries(): Completeness[];
}

const toCompleteness = ({ source, outcome, milliseconds }: Gathered): Completeness => ({
  adaptorUuid: source.adaptorUuid,
  tier: source.tier,
  outcome: outcome === 'PENDING' ? 'LATE' : outcome,
  milliseconds,
});

/** Denied adaptors are counted, not named (decisions, section 11). */
const deniedCompleteness: Completeness = { adaptorUuid: null, tier: null, outcome: 'DENIED', milliseconds: 0 };

const gravity: Readonly<Record<Completeness['outcome'], number>> = {
  ANSWERED: 0,
  DENIED: 1,
  DOWN: 2,
  FAILED: 3,
  LATE: 4,
};

const worse = (one: Completeness, other: Completeness): Completeness => ({
  ...(gravity[other.outcome] > gravity[one.outcome] ? other : one),
  milliseconds: Math.max(one.milliseconds, other.milliseconds),
});

export const createCompletenessTotal = (): CompletenessTotal => {
  const asked = new Map<string, Completeness>();
  const denied = new Set<string>();
  return {
    add: (outcome) => {
      for (const uuid of outcome.denied) denied.add(uuid);
      for (const gathered of outcome.gathered) {
        const { adaptorUuid } = gathered.source;
        const before = asked.get(adaptorUuid);
        const here = toCompleteness(gathered);
        asked.set(adaptorUuid, before === undefined ? here : worse(before, here));
      }
    },
    entries: () => [...asked.values(), ...[...denied].filter((uuid) => !asked.has(uuid)).map(() => deniedCompleteness)],
  };
};

/** The completeness of an answer of one window. */
export const completenessOf = (outcome: WindowOutcome): Completeness[] => {
  const total = createCompletenessTotal();
  total.add(outcome);
  return total.entries();
};
