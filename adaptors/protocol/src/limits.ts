/** Largest payload on the wire, in bytes of UTF-8. */
export const maxPayloadBytes = 256 * 1024;

/** Most messages a sender may have on the wire unacknowledged, per direction of an adaptor. */
export const windowSize = 256;

/** Longest message of a log entry, in characters; what is longer is cut off. */
export const maxLogLength = 2_000;

/** Deepest nesting of a message: what walks a deeper one would run out of stack. */
export const maxNesting = 1000;
