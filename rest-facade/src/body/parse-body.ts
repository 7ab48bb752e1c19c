import { isUtf8 } from 'node:buffer';
import { AppError } from '@fds/errors';
import { parseJson, parseJsonInSteps, type JsonValue } from '@fds/json';
import { inTurns } from '@fds/service';

/** The text of a body. @throws AppError MALFORMED_JSON when it is not UTF-8 */
export const decodeBody = (bytes: Buffer): string => {
  if (!isUtf8(bytes)) throw new AppError('MALFORMED_JSON', 'the body is not UTF-8');
  return bytes.toString('utf8');
};

/** Longer bodies are parsed in turns with other work. */
const largeLength = 64 * 1024;

/**
 * Parses a body with exact integers. The result for an empty body is undefined.
 *
 * @throws AppError MALFORMED_JSON. Its `position` is the offset from 0 where the text stops being JSON; it is absent
 * when the body nests too deep
 */
export const parseBody = async (text: string): Promise<JsonValue | undefined> => {
  if (text === '') return undefined;
  try {
    return text.length > largeLength ? await inTurns(parseJsonInSteps(text)) : parseJson(text);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    const position = /at position (\d+)/.exec(cause.message)?.[1];
    if (position === undefined)
      throw new AppError('MALFORMED_JSON', `the body cannot be read as JSON: ${cause.message}`, { cause });
    throw new AppError('MALFORMED_JSON', `the body stops being JSON at position ${position}`, {
      details: { position: Number(position) },
      cause,
    });
  }
};
