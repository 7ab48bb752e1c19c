const maxMessageLength = 10_000;

/** A message for people, as long as fits on the wire with everything else. */
export const shortened = (message: string): string =>
  message.length > maxMessageLength ? `${message.slice(0, maxMessageLength)} ...` : message;
