import type { LastWritten } from '../state/processing-state.js';
import type { Entry } from '../storage/storage.js';

/** What is known about a target. */
export interface TargetFacts {
  /** Undefined: the name is free. */
  readonly entry: Entry | undefined;
  /** Undefined: the adaptor wrote nothing there, or an earlier release wrote it and recorded no mark. */
  readonly written: LastWritten | undefined;
  /** Fingerprints of the copies that the adaptor made there. */
  readonly fingerprints: readonly string[];
  /** SHA-256 of the present content. It is asked for only when the mark differs. */
  readonly digest: () => Promise<string>;
}

/**
 * - FREE: nothing is there.
 * - OURS: what the adaptor wrote last. It may be replaced and removed.
 * - CHANGED: the adaptor wrote it, and another program changed it.
 * - FOREIGN: the adaptor never wrote it.
 */
export type TargetVerdict = 'FREE' | 'OURS' | 'CHANGED' | 'FOREIGN';

/** To whom does the content of a target belong? */
export const judgeTarget = async ({ entry, written, fingerprints, digest }: TargetFacts): Promise<TargetVerdict> => {
  if (entry === undefined) return 'FREE';
  const isKnown = written !== undefined || fingerprints.length > 0;
  if (!entry.isFile) return isKnown ? 'CHANGED' : 'FOREIGN';
  // the state was lost: the copy itself shows where it is from
  if (!isKnown) return entry.isSigned ? 'OURS' : 'FOREIGN';
  // for a copy of an earlier release, the length is all that is known
  if (written === undefined) return fingerprints.some((one) => one.startsWith(`${entry.size} `)) ? 'OURS' : 'CHANGED';
  if (entry.mark === written.mark) return 'OURS';
  // the same content with another time or inode, for example after a restore, is no change
  return (await digest()) === written.digest ? 'OURS' : 'CHANGED';
};
