/** Largest payload on the wire, in bytes of UTF-8. */
export const maxPayloadBytes = 256 * 1024;

/** Maximum number of unacknowledged messages of a sender, for each direction of an adaptor. */
export const windowSize = 256;

/** Maximum number of unacknowledged events of a sender, in single messages and in batches. */
export const eventWindow = 1_024;

/** Maximum number of unacknowledged bytes of a sender. A message that exceeds the remaining room is sent alone. */
export const windowBytes = 16 * 2 ** 20;

/**
 * Maximum number of unacknowledged bytes that a receiver keeps. A sender without batches may have a whole window of the
 * largest messages unacknowledged.
 */
export const maxUnacknowledgedBytes = windowSize * maxPayloadBytes;

/** The largest batch that a receiver accepts. */
export const receivedBatch = { maxBytes: maxPayloadBytes, maxEvents: 256 } as const;

/**
 * The largest batch that is sent, even if the receiver accepts a larger one: the next batch is written while the
 * receiver reads this one.
 */
export const sentBatch = { maxBytes: 64 * 1024, maxEvents: 256 } as const;

/** Longest message of a log entry, in characters; a longer one is cut off. */
export const maxLogLength = 2_000;

/** Deepest nesting of a message: recursion over a deeper message would exhaust the stack. */
export const maxNesting = 1000;
