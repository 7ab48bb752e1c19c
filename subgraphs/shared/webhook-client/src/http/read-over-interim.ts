import type { Socket } from 'node:net';

/** The head of an interim answer. 101 is not one: after it the connection no longer speaks HTTP. */
const interim = /^HTTP\/1\.[01] 1(?!01)\d\d[ \r]/;
const protocol = 'HTTP/1.';
const startOfInterim = 'HTTP/1.1 100 '.length;
const endOfHead = Buffer.from('\r\n\r\n');
const nothing = Buffer.alloc(0);
/** A longer head is left to the parser, which refuses it. */
const maxHeadBytes = 16_384;

/** The bytes without complete interim answers at their start, and whether a final answer begins with the rest. */
const withoutInterim = (bytes: Buffer): { readonly rest: Buffer; readonly isFinal: boolean } => {
  for (let rest = bytes; ;) {
    const start = rest.toString('latin1', 0, startOfInterim);
    if (start.length < startOfInterim) return { rest, isFinal: !protocol.startsWith(start.slice(0, protocol.length)) };
    if (!interim.test(start)) return { rest, isFinal: true };
    const end = rest.indexOf(endOfHead);
    if (end === -1) return { rest, isFinal: rest.length > maxHeadBytes };
    rest = rest.subarray(end + endOfHead.length);
  }
};

/**
 * Removes interim answers (1xx) from the bytes of a connection: they may come before any answer (RFC 9110, section
 * 15.2), and undici takes an unexpected `100 Continue` for a broken connection. An answer begins with the first bytes that come after
 * something was sent.
 */
export const readOverInterim = <Connection extends Socket>(socket: Connection): Connection => {
  let isBeginning = true;
  let held: Buffer = nothing;
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  const read = socket.read.bind(socket);
  socket.write = (...args: unknown[]): boolean => {
    isBeginning = true;
    return write(...args);
  };
  socket.read = (size?: number): Buffer | null => {
    for (;;) {
      const chunk = read(size) as Buffer | null;
      if (!isBeginning || chunk === null) return chunk;
      const { rest, isFinal } = withoutInterim(held.length === 0 ? chunk : Buffer.concat([held, chunk]));
      held = isFinal ? nothing : rest;
      isBeginning = !isFinal;
      if (isFinal) return rest;
    }
  };
  return socket;
};
