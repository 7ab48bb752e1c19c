import type { JsonObject } from '@fds/json';
import type { ContentHashes } from '../../domain/routing/content-hashes.js';

/** The state of a record at one side after the side was asked. */
export type Reading =
  | {
      readonly kind: 'VALUES';
      readonly values: JsonObject;
      /** Hashes of the values in normal form. They may be computed when they are first read: in most records the values themselves are equal. */
      readonly content: ContentHashes;
    }
  /** The side answered without the record; a side that cannot be asked does not link it. */
  | { readonly kind: 'MISSING' }
  /** Nothing is known. `isLinked`: the side links the record, which proves nothing. */
  | { readonly kind: 'UNREAD'; readonly isLinked: boolean };

/** An adaptor, or the data store. */
export interface Side {
  /** Null: the store. */
  readonly uuid: string | null;
  readonly reading: Reading;
}

type ComparedKind = 'EQUAL' | 'DIFFERING' | 'MISSING_HERE' | 'MISSING_THERE' | 'UNREADABLE';

/** A property of which the adaptor and another side hold different values. */
export interface DifferingPair {
  readonly property: string;
  readonly otherUuid: string | null;
}

export interface Comparison {
  /** ABSENT: no side has the record, or there is no other side. It does not count. */
  readonly kind: ComparedKind | 'ABSENT';
  readonly pairs: readonly DifferingPair[];
  /** Other sides that lack a record that the adaptor has. */
  readonly lackedBy: readonly (string | null)[];
}

type ReadSide = Side & { readonly reading: Extract<Reading, { readonly kind: 'VALUES' }> };

export const hasValues = (side: Side): side is ReadSide => side.reading.kind === 'VALUES';

const only = (kind: Comparison['kind']): Comparison => ({ kind, pairs: [], lackedBy: [] });

const mayHaveIt = ({ reading }: Side): boolean => reading.kind === 'UNREAD' && reading.isLinked;

const isMissing = ({ reading }: Side): boolean => reading.kind === 'MISSING';

const differing = (here: ReadSide, others: readonly ReadSide[], compared: (property: string) => boolean) =>
  others.flatMap(({ uuid: otherUuid, reading: other }) =>
    Object.keys(here.reading.values).flatMap((property): DifferingPair[] => {
      // the same value has the same normal form
      if (here.reading.values[property] === other.values[property] || !compared(property)) return [];
      const [own, theirs] = [here.reading.content[property], other.content[property]];
      return own === undefined || theirs === undefined || own === theirs ? [] : [{ property, otherUuid }];
    }),
  );

/**
 * Compares one record of an adaptor with the other sides. A property that one side left out is not compared. Sides of which
 * nothing is known are left out, unless one of them decides on the result.
 *
 * @param here the adaptor of the reconciliation
 * @param properties these only; default all
 */
export const compareRecord = (here: Side, others: readonly Side[], properties?: ReadonlySet<string>): Comparison => {
  if (others.length === 0) return only('ABSENT');
  const having = others.filter(hasValues);
  const mayBeElsewhere = others.some(mayHaveIt);
  if (isMissing(here)) {
    if (having.length > 0) return only('MISSING_HERE');
    return only(mayBeElsewhere ? 'UNREADABLE' : 'ABSENT');
  }
  if (!hasValues(here)) {
    // the adaptor cannot be asked and does not link it, and no other side has it
    const isUnknown = mayHaveIt(here) || having.length > 0 || mayBeElsewhere;
    return only(isUnknown ? 'UNREADABLE' : 'ABSENT');
  }
  const lackedBy = others.filter(isMissing).map(({ uuid }) => uuid);
  if (having.length === 0) {
    return { kind: lackedBy.length === 0 || mayBeElsewhere ? 'UNREADABLE' : 'MISSING_THERE', pairs: [], lackedBy };
  }
  const pairs = differing(here, having, (property) => properties?.has(property) !== false);
  return { kind: pairs.length === 0 ? 'EQUAL' : 'DIFFERING', pairs, lackedBy };
};
