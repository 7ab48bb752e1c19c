import { formatSequence } from '@fds/adaptor-protocol';

/** Bytes that `numbered` adds at most: `,"epoch":"<uuid>","sequence":"<19 digits>"`. */
export const numberingBytes = 96;

/** A stored envelope as an event of a batch, which names the epoch for all of them. */
export const inBatch = (body: string, sequence: number): string =>
  `${body.slice(0, -1)},"sequence":"${formatSequence(sequence)}"}`;

/** A stored envelope with its place in the sequence. */
export const numbered = (body: string, epoch: string, sequence: number): string =>
  `${body.slice(0, -1)},"epoch":"${epoch}","sequence":"${formatSequence(sequence)}"}`;
