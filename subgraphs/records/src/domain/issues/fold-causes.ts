/** A member by which issues are grouped. */
export type IssueGrouping = 'ZONE' | 'ADAPTOR' | 'DOMAIN_VERSION' | 'EXCEPTION' | 'CAUSE' | 'CODE' | 'PROPERTY';

/** An error as far as issues are grouped by it. Without `property` it is about the event as a whole. */
export interface CountedFault {
  readonly code: string;
  readonly property: string | undefined;
}

/** How many issues there are, how many of them are open, and since when. */
interface IssueTally {
  readonly issueCount: bigint;
  readonly openCount: bigint;
  readonly oldest: Date;
  readonly newest: Date;
  /** The oldest issue. */
  readonly example: string;
}

/** Issues with the same subject and errors, and the errors that the caller may see. */
export interface IssueGroup<Subject> extends IssueTally {
  readonly subject: Subject;
  readonly faults: readonly CountedFault[];
}

/** Issues of one group. */
export interface FoldedCause<Subject> extends IssueTally {
  /** The subject of one of the issues. All of them have the same key (`keyOf`). */
  readonly subject: Subject;
  readonly code: string | undefined;
  readonly property: string | undefined;
}

const add = (one: IssueTally, other: IssueTally): IssueTally => ({
  issueCount: one.issueCount + other.issueCount,
  openCount: one.openCount + other.openCount,
  oldest: one.oldest < other.oldest ? one.oldest : other.oldest,
  newest: one.newest > other.newest ? one.newest : other.newest,
  example: one.example < other.example ? one.example : other.example,
});

/** The distinct errors with the requested members only; an issue without errors has one empty entry. */
const distinctCauses = (faults: readonly CountedFault[], by: ReadonlySet<IssueGrouping>): Partial<CountedFault>[] => {
  const named = faults.map(({ code, property }) => ({
    code: by.has('CODE') ? code : undefined,
    property: by.has('PROPERTY') ? property : undefined,
  }));
  const distinct = new Map(named.map((fault) => [JSON.stringify([fault.code ?? null, fault.property ?? null]), fault]));
  return distinct.size === 0 ? [{}] : [...distinct.values()];
};

const compare = (one: IssueTally, other: IssueTally): number =>
  Number(other.issueCount - one.issueCount) || (one.example < other.example ? -1 : 1);

/**
 * Groups issues by the requested members, the largest group first. An issue with several errors counts once in each group that
 * has one of them.
 *
 * @param keyOf the requested members of a subject as text
 */
export const foldCauses = <Subject>(
  groups: readonly IssueGroup<Subject>[],
  by: ReadonlySet<IssueGrouping>,
  keyOf: (subject: Subject) => string,
): FoldedCause<Subject>[] => {
  const folded = new Map<string, FoldedCause<Subject>>();
  for (const { subject, faults, ...tally } of groups) {
    for (const { code, property } of distinctCauses(faults, by)) {
      const key = JSON.stringify([keyOf(subject), code ?? null, property ?? null]);
      const known = folded.get(key);
      folded.set(key, known === undefined ? { subject, code, property, ...tally } : { ...known, ...add(known, tally) });
    }
  }
  return [...folded.values()].sort(compare);
};
