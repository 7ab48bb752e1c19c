import { formatSequence } from '@fds/adaptor-protocol';

/** Maximum number of bytes that `numbered` adds: `,"resent":true,"epoch":"<uuid>","sequence":"<19 digits>"`. */
export const numberingBytes = 96;

/** The place of a message. */
interface Place {
  readonly sequence: number;
  /** It had a number in a former sequence. */
  readonly isResent: boolean;
}

const mark = ({ isResent }: Place): string => (isResent ? ',"resent":true' : '');

/** Converts a stored envelope to an event of a batch. The batch names the epoch of all its events. */
export const inBatch = (body: string, place: Place): string =>
  `${body.slice(0, -1)}${mark(place)},"sequence":"${formatSequence(place.sequence)}"}`;

/** Adds the epoch and the number to a stored envelope. */
export const numbered = (body: string, epoch: string, place: Place): string =>
  `${body.slice(0, -1)}${mark(place)},"epoch":"${epoch}","sequence":"${formatSequence(place.sequence)}"}`;
