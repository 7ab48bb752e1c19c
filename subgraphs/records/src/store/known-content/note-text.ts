import type { SentNote } from '../../domain/routing/sent-note.js';

const headPattern = /^(\d+)(!?)(?:(~)(\d*))?(?:@(\d+))?$/u;

/** Parses the parts of `writeHashes`. */
export const parseHashes = (parts: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    parts.map((each) => {
      const [name = '', hash = ''] = each.split('=');
      return [decodeURIComponent(name), hash];
    }),
  );

/** Hashes by property as text without `|`. */
export const writeHashes = (hashes: Readonly<Record<string, string>>): string =>
  Object.entries(hashes)
    .map(([name, hash]) => `${encodeURIComponent(name)}=${hash}`)
    .join();

/** Marks the hash of an undisturbed property. */
const undisturbedMark = '!';

/** Parses the text of `writeNote`. */
export const parseNote = (text: string): SentNote => {
  const [head = '', ...members] = text.split(',');
  const [, sequence, deletion, merged, mergedFrom, from] = headPattern.exec(head) ?? [];
  const marked = members.filter((member) => member.endsWith(undisturbedMark));
  const hashes = members.map((member) => (member.endsWith(undisturbedMark) ? member.slice(0, -1) : member));
  return {
    sequence: Number(sequence),
    kind: deletion === '!' ? 'DELETION' : from === undefined ? 'CHANGE' : 'CONFIRMATION',
    before: parseHashes(hashes),
    ...(merged === undefined ? {} : { mergedFrom: Number(mergedFrom) }),
    ...(from === undefined ? {} : { from: Number(from) }),
    ...(marked.length === 0 ? {} : { undisturbed: Object.keys(parseHashes(marked)) }),
  };
};

/** The note as text without `|`. */
export const writeNote = ({ sequence, kind, before, from, undisturbed = [], mergedFrom }: SentNote): string => {
  const merged = mergedFrom === undefined ? '' : `~${mergedFrom}`;
  const head = `${sequence}${kind === 'DELETION' ? '!' : ''}${merged}${from === undefined ? '' : `@${from}`}`;
  const marked = Object.entries(before).map(([name, hash]) => [
    name,
    undisturbed.includes(name) ? `${hash}${undisturbedMark}` : hash,
  ]);
  const hashes = writeHashes(Object.fromEntries(marked) as SentNote['before']);
  return hashes === '' ? head : `${head},${hashes}`;
};
