import type { AccessRule } from './access-rule.js';

type Rules = readonly AccessRule[];
type RuleLists = readonly Rules[];

/** The part of a comparison of rules that can decide it. */
export interface NarrowComparison {
  /** The wanted rules that are not granted. Empty: nothing more is allowed. */
  readonly wanted: RuleLists;
  /** Allows the same as all granted rules. */
  readonly granted: RuleLists;
  /** The lists whose selectors tell kinds of data apart. */
  readonly telling: RuleLists;
}

const isDenyOfAll = ({ effect, ...selectors }: AccessRule): boolean =>
  effect === 'DENY' && Object.values(selectors).every((selector) => selector === null);

/** The rules of a list that allows what its ALLOW rules match and nothing else; undefined: another list. */
const allowingOf = (rules: Rules): Rules | undefined => {
  const end = rules.findIndex(({ effect }) => effect === 'DENY');
  // an empty list allows everything, and one that ends with ALLOW denies the rest
  if (end === -1) return rules.length === 0 ? undefined : rules;
  const denying = rules.slice(end, rules.findIndex(isDenyOfAll) + 1);
  return denying.length > 0 && denying.every(({ effect }) => effect === 'DENY') ? rules.slice(0, end) : undefined;
};

/** A list in which only ALLOW decides allows what each of its rules allows alone: all such lists together are one set of rules. */
const split = (lists: RuleLists) => {
  const allowing = new Map<string, AccessRule>();
  const others = new Map<string, Rules>();
  for (const rules of lists) {
    const own = allowingOf(rules);
    if (own === undefined) others.set(JSON.stringify(rules), rules);
    else for (const rule of own) allowing.set(JSON.stringify(rule), rule);
  }
  return { allowing, others };
};

const without = <Value>(wanted: ReadonlyMap<string, Value>, granted: ReadonlyMap<string, Value>): Value[] =>
  [...wanted].filter(([text]) => !granted.has(text)).map(([, value]) => value);

const join = (allowing: Rules, others: RuleLists): RuleLists =>
  allowing.length === 0 ? others : [allowing, ...others];

/**
 * Leaves out rules that cannot change whether the wanted rules allow more than the granted ones: a caller may have rules for each
 * of thousands of zones, and the time of a comparison grows with the third power of their number.
 *
 * - A wanted rule that is also granted allows nothing more, because an ALLOW of any list is enough.
 * - Granted lists in which only ALLOW decides allow as much of the data that they name as of other data, or more. So where the wanted rules do not name the
 *   data either, other data stands for it.
 */
export const narrowComparison = (wanted: RuleLists, granted: RuleLists): NarrowComparison => {
  const [want, have] = [split(wanted), split(granted)];
  const unknown = join(without(want.allowing, have.allowing), without(want.others, have.others));
  return {
    wanted: unknown,
    granted: join([...have.allowing.values()], [...have.others.values()]),
    telling: [...unknown, ...have.others.values()],
  };
};
