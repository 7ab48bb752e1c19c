import { maxPayloadBytes } from '@fds/adaptor-protocol';

/** The envelope around a message's `data` has this many bytes at most. */
export const envelopeBytes = 512;

/** Most bytes of UTF-8 of a message's `data`: with its envelope it is as large as the message bus carries. */
export const maxMessageBytes = maxPayloadBytes - envelopeBytes;

const maxBytesPerUnit = 3;

/** Bytes of UTF-8 where they are too many; undefined: the message fits. */
export const oversizeOf = (message: string): number | undefined => {
  // most are so short that they need not be counted
  if (message.length * maxBytesPerUnit <= maxMessageBytes) return undefined;
  const bytes = Buffer.byteLength(message);
  return bytes > maxMessageBytes ? bytes : undefined;
};
