import type { AssemblyResponse } from '@fds/assembly-contract';
import type { Gathered } from './gathering.js';

export type Completeness = AssemblyResponse['completeness'][number];

/** The referenced records that adaptors are asked for. */
interface ReferencedSubject {
  /** From 1. */
  readonly level: number;
  readonly domain: string;
  readonly versionNumber: number;
}

/** The outcome of one window. */
export interface WindowOutcome {
  /** Undefined for the records of the request. */
  readonly subject?: ReferencedSubject;
  readonly gathered: readonly Gathered[];
  /** Uuids of the adaptors from which the caller may not get the records. */
  readonly denied: readonly string[];
}

/** Collects the outcomes of adaptors over the windows of an answer. */
export interface CompletenessTotal {
  add(outcome: WindowOutcome): void;
  /**
   * Each adaptor once for each subject, with its worst outcome and its longest time. The records of the request come
   * first.
   */
  entries(): Completeness[];
}

const toCompleteness = ({ source, outcome, milliseconds }: Gathered): Completeness => ({
  adaptorUuid: source.adaptorUuid,
  tier: source.tier,
  outcome: outcome === 'PENDING' ? 'LATE' : outcome,
  milliseconds,
});

/** Denied adaptors are counted without their names (docs/reference/assembly.md#response). */
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

/** Collects the outcomes for one subject. */
const createSubjectTotal = (subject: ReferencedSubject | undefined) => {
  const asked = new Map<string, Completeness>();
  const denied = new Set<string>();
  return {
    add: (outcome: WindowOutcome): void => {
      for (const uuid of outcome.denied) denied.add(uuid);
      for (const gathered of outcome.gathered) {
        const { adaptorUuid } = gathered.source;
        const before = asked.get(adaptorUuid);
        const here = toCompleteness(gathered);
        asked.set(adaptorUuid, before === undefined ? here : worse(before, here));
      }
    },
    entries: (): Completeness[] =>
      [...asked.values(), ...[...denied].filter((uuid) => !asked.has(uuid)).map(() => deniedCompleteness)].map(
        (entry) => ({ ...entry, ...subject }),
      ),
  };
};

export const createCompletenessTotal = (): CompletenessTotal => {
  const own = createSubjectTotal(undefined);
  const referenced = new Map<string, ReturnType<typeof createSubjectTotal>>();
  return {
    add: (outcome) => {
      const { subject } = outcome;
      if (subject === undefined) {
        own.add(outcome);
        return;
      }
      const key = `${subject.level} ${subject.domain} ${subject.versionNumber}`;
      const total = referenced.get(key) ?? createSubjectTotal(subject);
      referenced.set(key, total);
      total.add(outcome);
    },
    entries: () => [own, ...referenced.values()].flatMap((total) => total.entries()),
  };
};

/** The completeness of an answer of several windows. */
export const completenessOf = (outcomes: readonly WindowOutcome[]): Completeness[] => {
  const total = createCompletenessTotal();
  for (const outcome of outcomes) total.add(outcome);
  return total.entries();
};
