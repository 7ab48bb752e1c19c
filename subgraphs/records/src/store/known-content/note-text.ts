import type { SentNote } from '../../domain/routing/sent-note.js';

const headPattern = /^(\d+)(!?)(?:(~)(\d*))?(?:@(\d+))?$/u;

/** Parses the text of `writeNote`. */
export const parseNote = (text: string): SentNote => {
  const [head = '', ...members] = text.split(',');
  const [, sequence, deletion, merged, mergedFrom, from] = headPattern.exec(head) ?? [];
  const before = Object.fromEntries(
    members.map((each) => {
      const [name = '', hash = ''] = each.split('=');
      return [decodeURIComponent(name), hash];
    }),
  );
  return {
    sequence: Number(sequence),
    kind: deletion === '!' ? 'DELETION' : from === undefined ? 'CHANGE' : 'CONFIRMATION',
    before,
    ...(merged === undefined ? {} : { mergedFrom: Number(mergedFrom) }),
    ...(from === undefined ? {} : { from: Number(from) }),
  };
};

/** The note as text without `|`. */
export const writeNote = ({ sequence, kind, before, from, mergedFrom }: SentNote): string => {
  const merged = mergedFrom === undefined ? '' : `~${mergedFrom}`;
  const head = `${sequence}${kind === 'DELETION' ? '!' : ''}${merged}${from === undefined ? '' : `@${from}`}`;
  return [head, ...Object.entries(before).map(([name, hash]) => `${encodeURIComponent(name)}=${hash}`)].join();
};
