import { formatSequence } from '@fds/adaptor-protocol';

/** Maximum number of bytes that `numbered` adds: `,"epoch":"<uuid>","sequence":"<19 digits>"`. */
export const numberingBytes = 96;

/** Converts a stored envelope to an event of a batch. The batch names the epoch of all its events. */
export const inBatch = (body: string, sequence: number): string =>
  `${body.slice(0, -1)},"sequence":"${formatSequence(sequence)}"}`;

/** Adds the epoch and the number to a stored envelope. */
export const numbered = (body: string, epoch: string, sequence: number): string =>
  `${body.slice(0, -1)},"epoch":"${epoch}","sequence":"${formatSequence(sequence)}"}`;
