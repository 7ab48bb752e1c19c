import type { DeletionLimit } from '@fds/adaptor-sdk';

/** Keeps the deletions of a folder back when too many of its files are missing at once. */
export interface DeletionGuard {
  /**
   * Decides on the missing files of a scan.
   *
   * @param known number of files that were reported
   * @returns the reason why none of them may be reported as deleted; undefined: all of them may
   */
  check(missing: number, known: number): string | undefined;
  /** Counts deletions that were reported. */
  passed(deletions: number): void;
}

/**
 * The limit is the adaptor's `deletionLimit`, applied to the files of a folder: the window begins with the first deletion.
 * The server applies it to records only, and the deletion of a file is a change of a record first. The guard has no
 * memory beyond the process: after a restart a new window begins.
 *
 * @param limit null or undefined: no limit
 */
export const createDeletionGuard = (
  uri: string,
  limit: DeletionLimit | null | undefined,
  nowMs: () => number,
): DeletionGuard => {
  const window = { beganAtMs: -Infinity, known: 0, passed: 0 };
  return {
    check: (missing, known) => {
      if (limit === null || limit === undefined || missing === 0) return undefined;
      const now = nowMs();
      if (now - window.beganAtMs >= limit.seconds * 1_000 || now < window.beganAtMs)
        Object.assign(window, { beganAtMs: now, known, passed: 0 });
      const allowed = Math.max(limit.minimum, Math.floor((window.known * limit.percent) / 100));
      if (window.passed + missing <= allowed) return undefined;
      const earlier = window.passed === 0 ? '' : `, after ${window.passed} that were reported as deleted`;
      return (
        `${missing} of ${known} files of ${uri} are missing${earlier}. The adaptor's deletionLimit lets ${allowed} deletions pass within ${limit.seconds} seconds, ` +
        'so none of them is reported. Bring the files back; or, if they were deleted on purpose, set deletionLimit to null until the deletions are reported'
      );
    },
    passed: (deletions) => {
      window.passed += deletions;
    },
  };
};
