import { isJsonObject, type JsonValue } from './json/json-value.js';
import { maxPayloadBytes } from './limits.js';
import { parseSequence } from './sequence-text.js';

/** The number of a message, and its sequence space. */
export interface Numbering {
  readonly epoch: string;
  readonly sequence: number;
}

const decoder = new TextDecoder();

// far beyond the limit of a message, and small enough to be read
const readableBytes = 16 * maxPayloadBytes;

/**
 * The number of a message that cannot be read otherwise, or is too large. Its receiver can report it and count it as
 * done, so that the messages behind it need not wait (bus contract, Sequences). Undefined when the message has no
 * number; then it is not part of a sequence.
 */
export const parseNumbering = (payload: Uint8Array): Numbering | undefined => {
  if (payload.byteLength > readableBytes) return undefined;
  try {
    // this also reads deeply nested messages; numbers are strings here, so no digit is lost
    const message = JSON.parse(decoder.decode(payload)) as JsonValue;
    if (!isJsonObject(message) || typeof message['epoch'] !== 'string' || typeof message['sequence'] !== 'string')
      return undefined;
    const sequence = parseSequence(message['sequence']);
    return sequence === undefined ? undefined : { epoch: message['epoch'], sequence };
  } catch {
    return undefined;
  }
};
