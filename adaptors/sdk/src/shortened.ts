const maxMessageLength = 10_000;

/** Truncates a message for people, so that it fits on the wire together with the other members. */
export const shortened = (message: string): string =>
  message.length > maxMessageLength ? `${message.slice(0, maxMessageLength)} ...` : message;
