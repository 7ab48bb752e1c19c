import { AppError } from '@fds/errors';

/** A media range of an Accept header. */
interface MediaRange {
  readonly type: string;
  /** 0 to 1; 0: refused. */
  readonly quality: number;
}

const weight = /^\s*q\s*=\s*(0(?:\.\d*)?|1(?:\.0*)?)\s*$/i;

const rangesOf = (accept: string): MediaRange[] =>
  accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';');
    const quality = parameters.map((parameter) => weight.exec(parameter)?.[1]).find((found) => found !== undefined);
    return { type: type.trim().toLowerCase(), quality: Number(quality ?? 1) };
  });

/** A more specific range has a higher precedence; undefined when the range does not match the media type. */
const precedenceOf = ({ type }: MediaRange, mediaType: string): number | undefined => {
  if (type === mediaType) return 2;
  if (type === `${mediaType.split('/')[0]}/*`) return 1;
  return type === '*/*' ? 0 : undefined;
};

/** Quality of a media type: that of the most specific range (RFC 9110 section 12.5.1); 0 when no range matches. */
const qualityOf = (ranges: readonly MediaRange[], mediaType: string): number => {
  let [best, quality] = [-1, 0];
  for (const range of ranges) {
    const precedence = precedenceOf(range, mediaType) ?? -1;
    if (precedence < best || precedence < 0) continue;
    quality = precedence === best ? Math.max(quality, range.quality) : range.quality;
    best = precedence;
  }
  return quality;
};

/**
 * The offered media type that the header prefers: the first one of those with the highest quality, and without a header
 * the first of all.
 *
 * @throws AppError NOT_ACCEPTABLE
 */
export const chooseMediaType = (accept: string | undefined, offered: readonly [string, ...string[]]): string => {
  if (accept === undefined || accept === '' || accept === '*/*' || accept === offered[0]) return offered[0];
  const ranges = rangesOf(accept);
  let [chosen, quality]: [string | undefined, number] = [undefined, 0];
  for (const mediaType of offered) {
    const own = qualityOf(ranges, mediaType);
    if (own > quality) [chosen, quality] = [mediaType, own];
  }
  if (chosen === undefined) throw new AppError('NOT_ACCEPTABLE', `offered: ${offered.join(', ')}`);
  return chosen;
};
