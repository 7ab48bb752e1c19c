import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';

/** The lines of an answer that is sent piece by piece. */
export interface LinesOptions {
  /** Longest time in milliseconds in which a client may leave waiting lines unread. */
  readonly unreadMs: number;
  /** Called for each line that is handed on. */
  readonly onLine: () => void;
  /** Called when a client is cut off because it reads nothing. */
  readonly onUnread: () => void;
  /** The last line, in place of the rest, for an error after the first line. */
  readonly toLastLine: (error: unknown) => string;
}

const bufferBytes = 65_536;

/**
 * Starts an answer of lines.
 *
 * Pulls the first line before anything is sent, so that a refusal can be an ordinary answer. Pulls a further line when the
 * client has room for it: at most the buffers of the connection and one line wait in memory. A client that hangs up or is cut
 * off returns the iterator early.
 *
 * @returns the body of the answer
 * @throws the error of the first pull
 */
export const openPacedLines = async (
  lines: AsyncIterable<string>,
  response: ServerResponse,
  { unreadMs, onLine, onUnread, toLastLine }: LinesOptions,
): Promise<Readable> => {
  const iterator = lines[Symbol.asyncIterator]();
  let next = await iterator.next();
  let timer: NodeJS.Timeout | undefined;
  const cutOff = (): void => {
    onUnread();
    response.destroy();
  };
  const awaitReader = (): void => {
    timer = setTimeout(cutOff, unreadMs);
  };
  const stopWaiting = (): void => clearTimeout(timer);
  response.once('close', stopWaiting);

  const generate = async function* (): AsyncGenerator<string> {
    try {
      while (next.done !== true) {
        awaitReader();
        onLine();
        yield `${next.value}\n`;
        stopWaiting();
        next = await iterator.next();
      }
    } catch (error) {
      if (response.closed) return;
      onLine();
      yield `${toLastLine(error)}\n`;
    } finally {
      stopWaiting();
      await iterator.return?.();
    }
    // the client still has to read the end
    if (!response.closed) awaitReader();
  };
  return Readable.from(generate(), { objectMode: false, highWaterMark: bufferBytes });
};
