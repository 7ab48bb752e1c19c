import { parseJsonInSteps } from '@fds/json';
import { inTurns } from '@fds/service';
import { markIntegers } from './exact-messages.js';

/** Longer messages are parsed in turns with other work. */
const largeLength = 64 * 1024;

/** graphql-ws takes a text, or a message that is parsed already; its types name the text only. */
const parseLarge = async (text: string): Promise<string> =>
  (await inTurns(parseJsonInSteps(text))) as unknown as string;

/**
 * Reads the messages of a socket for graphql-ws, in order: a message that arrives while a large one is parsed waits for it.
 *
 * @returns reads a message at once if it can. Rejects, or throws, SyntaxError for a message that is not JSON
 */
export const createMessageReader = (): ((data: Buffer) => string | Promise<string>) => {
  let reading: Promise<void> | undefined;
  return (data) => {
    const text = data.toString('utf8');
    const isLarge = text.length > largeLength;
    if (reading === undefined && !isLarge) return markIntegers(text);
    const before = reading;
    const own = (async () => {
      await before;
      return isLarge ? parseLarge(text) : markIntegers(text);
    })();
    const settled: Promise<void> = own.then(
      () => undefined,
      () => undefined,
    );
    reading = settled;
    void settled.then(() => {
      if (reading === settled) reading = undefined;
    });
    return own;
  };
};
