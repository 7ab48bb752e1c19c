import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';

/** The options of an answer that is sent line by line. */
export interface LinesOptions {
  /** Longest time in milliseconds in which a client may leave waiting lines unread. */
  readonly unreadMs: number;
  /** Called for each line that is passed to the connection. */
  readonly onLine: () => void;
  /** Called when a client is disconnected because it reads nothing. */
  readonly onUnread: () => void;
  /** Returns the last line of an answer when an error follows the first line. */
  readonly toLastLine: (error: unknown) => string;
}

const bufferBytes = 65_536;

/**
 * Starts an answer that consists of lines.
 *
 * It pulls the first line before it sends anything, so that a refusal can be an ordinary answer. It pulls a further
 * line only when the client can receive it, so that at most the buffers of the connection and one line are in memory.
 * When a client disconnects or is disconnected, the iterator is returned early.
 *
 * @returns the body of the answer
 * @throws the error of the first line
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
    // the client must still read the end
    if (!response.closed) awaitReader();
  };
  return Readable.from(generate(), { objectMode: false, highWaterMark: bufferBytes });
};
