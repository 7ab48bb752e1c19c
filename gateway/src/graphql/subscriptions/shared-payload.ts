import { randomBytes } from 'node:crypto';

/** Data cannot contain it. */
const mark = `payload:${randomBytes(12).toString('hex')}`;
const quoted = `"${mark}"`;

let written: string | undefined;

/**
 * An answer that is written once and sent to many sockets. graphql-ws writes messages itself. The mark replaces the
 * answer until the message is sent. Nothing runs between writing and sending.
 */
export class SharedPayload {
  constructor(
    /** JSON. */
    readonly text: string,
  ) {}

  toJSON(): string {
    written = this.text;
    return mark;
  }
}

/** The message, with its mark replaced by the answer. */
export const insertPayload = (message: string): string => {
  if (written === undefined) return message;
  const at = message.indexOf(quoted);
  if (at < 0) return message;
  const text = written;
  written = undefined;
  return message.slice(0, at) + text + message.slice(at + quoted.length);
};
