/** Largest payload on the wire, in bytes of UTF-8. */
export const maxPayloadBytes = 256 * 1024;

/** Most messages a sender may have on the wire unacknowledged, per direction of an adaptor. */
export const windowSize = 256;

/** Most events a sender may have on the wire unacknowledged, alone and in batches together. */
export const eventWindow = 1_024;

/** Most bytes a sender may have on the wire unacknowledged. A message that is larger than the rest goes alone. */
export const windowBytes = 16 * 2 ** 20;

/**
 * Most bytes that a receiver holds unacknowledged: a sender that does not use batches may have a whole window of the largest
 * messages on the way.
 */
export const maxHeldBytes = windowSize * maxPayloadBytes;

/** The largest batch that is taken. */
export const receivedBatch = { maxBytes: maxPayloadBytes, maxEvents: 256 } as const;

/** The largest batch that is sent, to a receiver that takes as much: the next one is written while it is read. */
export const sentBatch = { maxBytes: 64 * 1024, maxEvents: 256 } as const;

/** Longest message of a log entry, in characters; a longer one is cut off. */
export const maxLogLength = 2_000;

/** Deepest nesting of a message: recursion over a deeper one would exhaust the stack. */
export const maxNesting = 1000;
