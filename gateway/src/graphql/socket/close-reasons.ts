import { WebSocket } from 'ws';

/** Longest reason of a close frame (RFC 6455, 5.5), in bytes. */
const maxReasonBytes = 123;

/** Shortens a reason so that it fits into a close frame. */
export const toReason = (text: string): string => {
  if (Buffer.byteLength(text) <= maxReasonBytes) return text;
  const ellipsis = '...';
  let cut = text.slice(0, maxReasonBytes - ellipsis.length);
  while (Buffer.byteLength(cut) > maxReasonBytes - ellipsis.length) cut = cut.slice(0, -1);
  return cut + ellipsis;
};

/** Reasons for close codes that `ws` sends without one. */
const reasonsOfFaults = (maxMessageBytes: number): Readonly<Record<number, string>> => ({
  1002: 'Protocol error: a frame is not valid',
  1007: 'Invalid message received: the text is not UTF-8',
  1008: 'Too many fragments: send a message in fewer frames',
  1009: `Message too large: a message has at most ${maxMessageBytes} bytes`,
});

/** Replacements for reasons of `graphql-ws` that do not say what the client should do. */
const fullerReasons: Readonly<Record<string, string>> = {
  'Subprotocol not acceptable': 'Subprotocol not acceptable: ask for graphql-transport-ws',
  'Connection initialisation timeout': 'Connection initialisation timeout: send connection_init at once',
  'Invalid message received': 'Invalid message received: send the JSON messages of graphql-transport-ws as text',
  Unauthorized: 'Unauthorized: send connection_init and wait for connection_ack first',
};

/** The replacement of a reason of `graphql-ws`, or the reason itself. */
export const explainReason = (reason: string | undefined): string | undefined =>
  reason === undefined ? undefined : toReason(fullerReasons[reason] ?? reason);

/** A class of sockets that give the cause when a message of the client closes them. */
export const explainingSocket = (maxMessageBytes: number): typeof WebSocket => {
  const reasons = reasonsOfFaults(maxMessageBytes);
  return class ExplainingSocket extends WebSocket {
    override close(code?: number, reason?: string | Buffer): void {
      super.close(code, reason ?? (code === undefined ? undefined : reasons[code]));
    }
  };
};
