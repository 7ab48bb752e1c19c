import type { AssembledStatus } from '@fds/assembly-contract';

/**
 * The answer of a source that should hold a record. WHOLE and PARTLY: it sent data, which could be taken wholly or in part.
 * GONE: it says that it no longer holds the record. MISSING: nothing, because it did not answer or left the record out.
 */
export type HolderResult = 'WHOLE' | 'PARTLY' | 'GONE' | 'MISSING';

/** A source that should hold a record. */
export interface Holder {
  readonly result: HolderResult;
  /** Does the release policy wait for it? */
  readonly isPreferred: boolean;
}

const hasSent = ({ result }: Holder): boolean => result === 'WHOLE' || result === 'PARTLY';

/**
 * How complete a record is (docs/specification/assembly.md#status). A source that no longer holds the record does not count.
 * A record that
 * no source sent is UNAVAILABLE, also when every source says that it is gone.
 */
export const recordStatus = (holders: readonly Holder[]): AssembledStatus => {
  const holding = holders.filter(({ result }) => result !== 'GONE');
  if (!holding.some(hasSent)) return 'UNAVAILABLE';
  const preferred = holding.filter(({ isPreferred }) => isPreferred);
  if (preferred.every(({ result }) => result === 'WHOLE')) return 'PREFERRED_COMPLETE';
  return preferred.some(hasSent) ? 'PREFERRED_PARTIAL' : 'FALLBACK';
};
