/** Largest payload on the wire, in bytes of UTF-8. */
export const maxPayloadBytes = 256 * 1024;

/** Most messages a sender may have on the wire unacknowledged, per direction of an adaptor. */
export const windowSize = 256;

/** Longest message of a log entry, in characters; a longer one is cut off. */
export const maxLogLength = 2_000;

/** Deepest nesting of a message: recursion over a deeper one would exhaust the stack. */
export const maxNesting = 1000;
