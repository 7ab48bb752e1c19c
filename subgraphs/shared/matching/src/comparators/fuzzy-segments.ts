interface Segment {
  readonly start: number;
  readonly length: number;
}

/** Cuts a text of the length into `maxEdits + 1` segments, as even as can be. */
const segmentsOf = (length: number, maxEdits: number): readonly Segment[] => {
  const count = maxEdits + 1;
  const short = Math.floor(length / count);
  const longs = length % count;
  let start = 0;
  return Array.from({ length: count }, (_, index) => {
    const segment = { start, length: index < count - longs ? short : short + 1 };
    start += segment.length;
    return segment;
  });
};

const describe = (length: number, index: number, text: string): string => `${length}:${index}:${text}`;

/**
 * The segments of a text. So many edits cannot touch all of them, so a text within reach has one of them, close to its place
 * here (Li et al., PASS-JOIN, VLDB 2011).
 */
export const storedSegments = (text: string, maxEdits: number): readonly string[] =>
  segmentsOf(text.length, maxEdits).map(({ start, length }, index) =>
    describe(text.length, index, text.slice(start, start + length)),
  );

/** All segments, of texts within reach, that the text holds: where edits to its left and right leave room for them. */
export const askedSegments = (text: string, maxEdits: number): readonly string[] => {
  const asked: string[] = [];
  for (let length = Math.max(0, text.length - maxEdits); length <= text.length + maxEdits; length += 1) {
    const shift = text.length - length;
    for (const [index, segment] of segmentsOf(length, maxEdits).entries()) {
      const right = maxEdits - index;
      const first = Math.max(0, segment.start - index, segment.start + shift - right);
      const last = Math.min(text.length - segment.length, segment.start + index, segment.start + shift + right);
      for (let at = first; at <= last; at += 1) {
        asked.push(describe(length, index, text.slice(at, at + segment.length)));
      }
    }
  }
  return asked;
};

/** How many segments a text is asked for at most, by `maxEdits`. */
export const askedAtMost = (maxEdits: number): number => {
  let sum = 0;
  for (let shift = -maxEdits; shift <= maxEdits; shift += 1) {
    sum += Math.floor((maxEdits ** 2 - shift ** 2) / 2) + maxEdits + 1;
  }
  return sum;
};
