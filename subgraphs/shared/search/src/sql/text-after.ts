const lastCodePoint = 0x10ffff;
const [firstSurrogate, afterSurrogates] = [0xd800, 0xe000];

/**
 * The least text that comes after every text with this beginning, in code point order; undefined if no text does. The
 * texts between the two are those with the beginning.
 */
export const textAfter = (beginning: string): string | undefined => {
  const points = Array.from(beginning, (character) => character.codePointAt(0) ?? 0);
  const last = points.findLastIndex((point) => point !== lastCodePoint);
  const point = points[last];
  if (point === undefined) return undefined;
  const next = point + 1 === firstSurrogate ? afterSurrogates : point + 1;
  return String.fromCodePoint(...points.slice(0, last), next);
};
