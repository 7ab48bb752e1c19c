import type { CountedRefusal, Refusal } from './refusal.js';

export interface RefusalBudgetsOptions {
  /** Different refusals that are written in a window for all anonymous callers together. Default 100. */
  readonly maxAnonymousKinds?: number;
  /** Different refusals that are written in a window for each named actor. Default 100. */
  readonly maxActorKinds?: number;
  /** Actors that have a budget in a window. The refusals of further actors are only counted. Default 128. */
  readonly maxActors?: number;
  /** Further actors whose refusals are counted separately. One entry counts the refusals of all others. Default 10 000. */
  readonly maxCountedActors?: number;
  /** Called for every refusal that exceeds a budget. */
  readonly onExceeded?: (() => void) | undefined;
}

/**
 * Decides which refusals of a window are written. Every named actor has a budget, and all anonymous callers share one.
 * No caller can hide the refusals of another. Memory is bounded: by default below 20 MB for any input.
 */
export interface RefusalBudgets {
  /** @returns the refusal in the form to write now; undefined when it is only counted */
  take(refusal: Refusal): Refusal | undefined;
  readonly isEmpty: boolean;
  /** Ends the window. @returns repetitions, and the refusals beyond the budgets */
  end(): CountedRefusal[];
}

/** The actor of all refusals without a valid token or secret. */
const anonymous = '';
const maxTextChars = 256;
const maxWordChars = 64;

/** Copies the text: a slice would keep the whole original in memory. */
const cut = (text: string, maxChars: number): string => Buffer.from(text.slice(0, maxChars)).toString();

const shortened = ({ actorUuid, action, resource, code, detail, address }: Refusal): Refusal => ({
  actorUuid,
  action: cut(action, maxWordChars),
  resource: cut(resource, maxTextChars),
  code: cut(code, maxWordChars),
  detail: cut(detail, maxTextChars),
  address: cut(address, maxWordChars),
});

const keyOf = ({ actorUuid, action, resource, code, detail, address }: Refusal): string =>
  [actorUuid ?? address, action, resource, code, detail].join(' ');

const othersOf = (actorUuid: string | undefined): Refusal => ({
  actorUuid,
  action: 'ALL',
  resource: '/',
  code: 'OTHERS',
  detail: 'more kinds than are written in a minute',
  address: '',
});

interface Budget {
  readonly kinds: Map<string, { readonly refusal: Refusal; repeated: number }>;
  beyond: number;
}

export const createRefusalBudgets = ({
  maxAnonymousKinds = 100,
  maxActorKinds = 100,
  maxActors = 128,
  maxCountedActors = 10_000,
  onExceeded,
}: RefusalBudgetsOptions = {}): RefusalBudgets => {
  const budgets = new Map<string, Budget>();
  const counted = new Map<string, number>();
  let beyondAll = 0;

  const budgetOf = (actor: string): Budget | undefined => {
    const known = budgets.get(actor);
    if (known !== undefined) return known;
    if (actor !== anonymous && budgets.size - (budgets.has(anonymous) ? 1 : 0) >= maxActors) return undefined;
    const budget: Budget = { kinds: new Map(), beyond: 0 };
    budgets.set(actor, budget);
    return budget;
  };
  const countOnly = (actor: string): void => {
    onExceeded?.();
    const count = counted.get(actor);
    if (count === undefined && counted.size >= maxCountedActors) beyondAll += 1;
    else counted.set(actor, (count ?? 0) + 1);
  };

  return {
    take: (refusal) => {
      const actor = refusal.actorUuid ?? anonymous;
      const budget = budgetOf(actor);
      if (budget === undefined) {
        countOnly(actor);
        return undefined;
      }
      const kept = shortened(refusal);
      const key = keyOf(kept);
      const known = budget.kinds.get(key);
      if (known !== undefined) {
        known.repeated += 1;
        return undefined;
      }
      if (budget.kinds.size >= (actor === anonymous ? maxAnonymousKinds : maxActorKinds)) {
        budget.beyond += 1;
        onExceeded?.();
        return undefined;
      }
      budget.kinds.set(key, { refusal: kept, repeated: 0 });
      return kept;
    },
    get isEmpty() {
      return budgets.size === 0;
    },
    end: () => {
      const ended: CountedRefusal[] = [];
      const add = (refusal: Refusal, count: number): void => {
        if (count > 0) ended.push({ refusal, count });
      };
      for (const [actor, { kinds, beyond }] of budgets) {
        for (const { refusal, repeated } of kinds.values()) add(refusal, repeated);
        add(othersOf(actor === anonymous ? undefined : actor), beyond);
      }
      for (const [actor, count] of counted) add(othersOf(actor), count);
      add(othersOf(undefined), beyondAll);
      budgets.clear();
      counted.clear();
      beyondAll = 0;
      return ended;
    },
  };
};
