import type { AssembledStatus } from '@fds/assembly-contract';

/**
 * The result of a source that should have a record. WHOLE and PARTLY: it sent data, of which all or only a part could
 * be used. GONE: it reports that it no longer has the record. MISSING: it did not answer, or the answer does not
 * contain the record.
 */
export type HolderResult = 'WHOLE' | 'PARTLY' | 'GONE' | 'MISSING';

/** A source that should have a record. */
export interface Holder {
  readonly result: HolderResult;
  /** Does the release policy wait for it? */
  readonly isPreferred: boolean;
}

const hasSent = ({ result }: Holder): boolean => result === 'WHOLE' || result === 'PARTLY';

/**
 * The status of a record (docs/reference/assembly.md#status). A source that no longer has the record does not
 * count. A record that no source sent is UNAVAILABLE, also when every source reports that it is gone.
 */
export const recordStatus = (holders: readonly Holder[]): AssembledStatus => {
  const holding = holders.filter(({ result }) => result !== 'GONE');
  if (!holding.some(hasSent)) return 'UNAVAILABLE';
  const preferred = holding.filter(({ isPreferred }) => isPreferred);
  if (preferred.every(({ result }) => result === 'WHOLE')) return 'PREFERRED_COMPLETE';
  return preferred.some(hasSent) ? 'PREFERRED_PARTIAL' : 'FALLBACK';
};
