import type { CommandContext } from '../command-context.js';
import { exitStatus, Failure, failureOfAnswer } from '../failure.js';

/** As many bytes as `/mcp` takes. */
const maxMessageBytes = 262_144;
/** Calls that wait for the service at the same time. */
const maxAtOnce = 8;

/** The lines of standard input. @throws Failure for a line without an end */
const readLines = async function* (): AsyncGenerator<string> {
  let rest = '';
  process.stdin.setEncoding('utf8');
  for await (const text of process.stdin as AsyncIterable<string>) {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
    if (rest.length > maxMessageBytes)
      throw new Failure(exitStatus.fault, `a message has more than ${maxMessageBytes} characters`);
  }
  yield rest;
};

interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
}

const readMessage = (line: string): Message | undefined => {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
};

const errorLine = (id: unknown, code: number, message: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id: id ?? null, error: { code, message } });

const internalError = -32_603;
const parseError = -32_700;

/** Sends a message to `/mcp`. @returns the line of the answer; undefined when it needs none */
const forward = async ({ hub }: CommandContext, line: string): Promise<string | undefined> => {
  const message = readMessage(line);
  if (message === undefined) return errorLine(null, parseError, 'the line is not JSON');
  const needsAnswer = message.id !== undefined && message.method !== undefined;
  try {
    const headers = { accept: 'application/json, text/event-stream' };
    const answer = await hub.ask('/mcp', { method: 'POST', body: line, headers });
    const text = await answer.text();
    const isOurs = (answer.headers.get('content-type') ?? '').startsWith('application/json') && text !== '';
    if (isOurs) return text.trimEnd();
    if (answer.ok || !needsAnswer) return undefined;
    return errorLine(message.id, internalError, failureOfAnswer(answer.status, text).message);
  } catch (error) {
    const { message: why } = error as Error;
    return needsAnswer ? errorLine(message.id, internalError, why) : undefined;
  }
};

/** `fds mcp`: passes the messages of a program on standard input to `/mcp`, with the sign-in of its user. */
export const mcp = async (context: CommandContext): Promise<void> => {
  await context.hub.signIn();
  const running = new Set<Promise<void>>();
  for await (const line of readLines()) {
    if (line.trim() === '') continue;
    const work = forward(context, line)
      .then((answer) => {
        if (answer !== undefined) context.print(answer);
      })
      .finally(() => running.delete(work));
    running.add(work);
    if (running.size >= maxAtOnce) await Promise.race(running);
  }
  await Promise.all(running);
};
