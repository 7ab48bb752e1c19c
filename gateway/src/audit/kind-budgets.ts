/** Bounds of the kinds that are written in a window. */
export interface KindBudgetsOptions {
  /** Different kinds that are written in a window for all anonymous callers together. Default 100. */
  readonly maxAnonymousKinds?: number;
  /** Different kinds that are written in a window for each named actor. Default 100. */
  readonly maxActorKinds?: number;
  /** Actors that have a budget in a window. The events of further actors are only counted. Default 128. */
  readonly maxActors?: number;
  /** Different kinds that are written in a window for all actors together. Default: no further bound. */
  readonly maxKinds?: number;
  /** Further actors that are counted separately. One entry counts all others. Default 10 000. */
  readonly maxCountedActors?: number;
  /** Called for every event that exceeds a budget. */
  readonly onExceeded?: (() => void) | undefined;
}

/** Something that an actor did. */
interface Acted {
  /** Undefined when the caller is not known. */
  readonly actorUuid?: string | undefined;
}

/** How events of a sort are compared and shown. */
export interface EventForm<T extends Acted> {
  /** Bounds the bytes of every member. */
  shorten(event: T): T;
  /** Events with the same key are of one kind. The actor is part of it already. */
  keyOf(event: T): string;
  /** Stands for the kinds of the actor beyond the budget. */
  othersOf(actorUuid: string | undefined): T;
}

interface Counted<T> {
  readonly event: T;
  readonly count: number;
}

/**
 * Decides which events of a window are written. Every named actor has a budget, and all anonymous callers share one. No
 * caller can hide what another does. Memory is bounded for any input: by default below 20 MB for refused accesses.
 */
export interface KindBudgets<T> {
  /** @returns the event in the form to write now; undefined when it is only counted */
  take(event: T): T | undefined;
  readonly isEmpty: boolean;
  /** Ends the window. @returns repetitions, and the events beyond the budgets */
  end(): Counted<T>[];
}

/** The actor of all events without a valid token or secret. */
const anonymous = '';

interface Budget<T> {
  readonly kinds: Map<string, { readonly event: T; repeated: number }>;
  beyond: number;
}

export const createKindBudgets = <T extends Acted>(
  { shorten, keyOf, othersOf }: EventForm<T>,
  {
    maxAnonymousKinds = 100,
    maxActorKinds = 100,
    maxActors = 128,
    maxKinds = Number.POSITIVE_INFINITY,
    maxCountedActors = 10_000,
    onExceeded,
  }: KindBudgetsOptions = {},
): KindBudgets<T> => {
  const budgets = new Map<string, Budget<T>>();
  const counted = new Map<string, number>();
  let beyondAll = 0;
  let kinds = 0;

  const budgetOf = (actor: string): Budget<T> | undefined => {
    const known = budgets.get(actor);
    if (known !== undefined) return known;
    if (actor !== anonymous && budgets.size - (budgets.has(anonymous) ? 1 : 0) >= maxActors) return undefined;
    const budget: Budget<T> = { kinds: new Map(), beyond: 0 };
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
    take: (event) => {
      const actor = event.actorUuid ?? anonymous;
      const budget = budgetOf(actor);
      if (budget === undefined) {
        countOnly(actor);
        return undefined;
      }
      const kept = shorten(event);
      const key = keyOf(kept);
      const known = budget.kinds.get(key);
      if (known !== undefined) {
        known.repeated += 1;
        return undefined;
      }
      if (kinds >= maxKinds || budget.kinds.size >= (actor === anonymous ? maxAnonymousKinds : maxActorKinds)) {
        budget.beyond += 1;
        onExceeded?.();
        return undefined;
      }
      budget.kinds.set(key, { event: kept, repeated: 0 });
      kinds += 1;
      return kept;
    },
    get isEmpty() {
      return budgets.size === 0;
    },
    end: () => {
      const ended: Counted<T>[] = [];
      const add = (event: T, count: number): void => {
        if (count > 0) ended.push({ event, count });
      };
      for (const [actor, budget] of budgets) {
        for (const { event, repeated } of budget.kinds.values()) add(event, repeated);
        add(othersOf(actor === anonymous ? undefined : actor), budget.beyond);
      }
      for (const [actor, count] of counted) add(othersOf(actor), count);
      add(othersOf(undefined), beyondAll);
      budgets.clear();
      counted.clear();
      beyondAll = 0;
      kinds = 0;
      return ended;
    },
  };
};

/** Copies a beginning of the text of at most so many bytes of UTF-8: a slice would keep the whole original in memory. */
export const cutText = (text: string, maxBytes: number): string => {
  const bytes = Buffer.from(text.slice(0, maxBytes));
  if (bytes.length <= maxBytes) return bytes.toString();
  let end = maxBytes;
  // a byte 10xxxxxx continues a character
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString();
};
