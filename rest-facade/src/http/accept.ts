import { AppError } from '@fds/errors';

const isRefused = (parameters: readonly string[]): boolean =>
  parameters.some((parameter) => /^\s*q\s*=\s*0(?:\.0*)?\s*$/.test(parameter));

const rangesOf = (accept: string): string[] =>
  accept.split(',').flatMap((range) => {
    const [type = '', ...parameters] = range.split(';');
    return isRefused(parameters) ? [] : [type.trim().toLowerCase()];
  });

/** RFC 9110 section 12.5.1, without weighing: does a range of the header take the media type? */
const takes = (ranges: readonly string[], mediaType: string): boolean => {
  const [main] = mediaType.split('/');
  return ranges.some((range) => range === '*/*' || range === `${main}/*` || range === mediaType);
};

/**
 * The first of the offered media types that the header takes; without a header the first.
 *
 * @throws AppError NOT_ACCEPTABLE
 */
export const chooseMediaType = (accept: string | undefined, offered: readonly [string, ...string[]]): string => {
  if (accept === undefined || accept === '' || accept === '*/*' || accept === offered[0]) return offered[0];
  const ranges = rangesOf(accept);
  const chosen = offered.find((mediaType) => takes(ranges, mediaType));
  if (chosen === undefined) throw new AppError('NOT_ACCEPTABLE', `offered: ${offered.join(', ')}`);
  return chosen;
};
