import { fstatSync, lstatSync, statfsSync, type Stats } from 'node:fs';
import { codeOf } from '../storage-fault.js';

/** A folder on the way from the monitored folder to the entries. */
interface OpenLevel {
  readonly descriptor: number;
  /** Path in front of the names of its entries, which leads to the open folder itself. */
  readonly place: string;
  /** Path that another folder may take. */
  readonly path: string;
}

/** Facts of an entry; undefined: it does not exist. */
type EntryFacts = Stats | { readonly failed: string } | undefined;

/** Local file systems on Linux that set the time of change of a folder when it is moved: ext4, XFS, Btrfs, tmpfs, overlay. */
const dateMoves: ReadonlySet<number> = new Set([0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630]);

/** Two changes that are this far apart have different times on each of these file systems. */
const settledMs = 2_000n;

const factsAt = (place: string, names: readonly string[]): readonly EntryFacts[] =>
  names.map((name) => {
    try {
      return lstatSync(`${place}/${name}`, { throwIfNoEntry: false });
    } catch (error) {
      return { failed: codeOf(error) };
    }
  });

/** Is the path on a file system whose times of change record each move? */
export const isDated = (path: string): boolean => {
  try {
    return dateMoves.has(statfsSync(path).type);
  } catch {
    return false;
  }
};

/** Reads the facts of entries of the last of the open levels. Symbolic links are not followed. */
export type ReadFacts = (levels: readonly OpenLevel[], names: readonly string[]) => readonly EntryFacts[];

/**
 * Reads by path, which costs the system half as much as the way by a descriptor. The facts count if the path led to the
 * open folder before and after, and no folder on the way has changed: a folder that was moved away and back has another
 * time of change. Otherwise they are read by the descriptor.
 *
 * @param root the monitored folder
 */
export const createReadFacts = (root: OpenLevel): ReadFacts => {
  const isFast = root.place !== root.path && isDated(root.place);
  const { dev } = fstatSync(root.descriptor, { bigint: true });

  /** Changes when a folder on the way changes. Undefined: the path cannot be used. */
  const wayOf = (levels: readonly OpenLevel[]): string | undefined => {
    const now = BigInt(Date.now());
    const parts: bigint[] = [];
    for (const { descriptor } of levels) {
      const stats = fstatSync(descriptor, { bigint: true });
      if (stats.dev !== dev || now - stats.ctimeMs < settledMs) return undefined;
      parts.push(stats.ino, stats.ctimeNs);
    }
    const there = lstatSync(levels.at(-1)?.path ?? '', { bigint: true, throwIfNoEntry: false });
    return there?.dev === dev && there.ino === parts.at(-2) ? parts.join(' ') : undefined;
  };

  return (levels, names) => {
    const level = levels.at(-1);
    if (level === undefined || names.length === 0) return [];
    const way = isFast ? wayOf(levels) : undefined;
    if (way !== undefined) {
      const facts = factsAt(level.path, names);
      if (wayOf(levels) === way) return facts;
    }
    return factsAt(level.place, names);
  };
};
