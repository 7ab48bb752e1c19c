import { readFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import { errorCatalogue, isErrorCode } from '@fds/errors';
import type { CommandContext } from '../command-context.js';
import { exitStatus, Failure, failureOfAnswer, statusOfHttp, usageFailure } from '../failure.js';

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Reads `-` from standard input and `@file` or a file from the disk. */
const readText = async ({ readInput }: CommandContext, name: string): Promise<string> => {
  if (name === '-') return readInput();
  try {
    return await readFile(name, 'utf8');
  } catch (error) {
    throw usageFailure(`${name} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown cause'}`);
  }
};

const readData = async (context: CommandContext, given: string | undefined): Promise<string | undefined> => {
  if (given === undefined) return undefined;
  if (given === '-') return readText(context, given);
  return given.startsWith('@') ? readText(context, given.slice(1)) : given;
};

const requireJson = (name: string, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw usageFailure(`${name} is not JSON: ${(error as Error).message}`);
  }
};

const readHeaders = (given: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    given.map((line) => {
      const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*([^\r\n]*)$/.exec(line) ?? [];
      if (name === undefined || value === undefined)
        throw usageFailure(`--header ${line} has not the form name: value`);
      return [name.toLowerCase(), value];
    }),
  );

export interface ApiOptions {
  readonly data?: string;
  readonly header: readonly string[];
}

/** `fds api <method> <path>`: writes the unchanged body of the answer to standard output. */
export const api = async (
  context: CommandContext,
  method: string,
  path: string,
  { data, header }: ApiOptions,
): Promise<void> => {
  const verb = method.toUpperCase();
  if (!methods.has(verb)) throw usageFailure(`${method} is not a method: use one of ${[...methods].join(', ')}`);
  // two slashes would name another host
  if (!/^\/?[\w%.~-]/.test(path) || /[\s#\\]/.test(path) || path.includes('://'))
    throw usageFailure(`${path} is not a path below /api, such as /zones?size=10`);
  const target = path.startsWith('/') ? path : `/${path}`;
  const headers = readHeaders(header);
  const body = await readData(context, data);
  if (body !== undefined && (verb === 'GET' || verb === 'HEAD')) throw usageFailure(`${verb} takes no --data`);
  if (body !== undefined && headers['content-type'] === undefined) requireJson('--data', body);
  const answer = await context.hub.ask(/^\/api(?:[/?]|$)/.test(target) ? target : `/api${target}`, {
    method: verb,
    body,
    headers,
  });
  if (!answer.ok) throw failureOfAnswer(answer.status, await answer.text());
  if (answer.body === null) return;
  // the terminal stays open for the next line of the shell
  await pipeline(Readable.fromWeb(answer.body), process.stdout, {
    end: false,
  });
  if (process.stdout.isTTY) context.print('');
};

/** The exit status for a code of an error: that of its HTTP status in the catalogue. */
const statusOfCode = (code: string): number =>
  isErrorCode(code) ? statusOfHttp(errorCatalogue[code].status) : exitStatus.fault;

interface GraphqlAnswer {
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[];
}

export interface GraphqlOptions {
  readonly variables?: string;
  readonly operation?: string;
}

/** `fds graphql <file|->`: the whole answer goes to standard output, the messages of its errors to standard error. */
export const graphql = async (
  context: CommandContext,
  file: string,
  { variables, operation }: GraphqlOptions,
): Promise<void> => {
  const given = await readData(context, variables);
  const values = given === undefined ? undefined : requireJson('--variables', given);
  if (given !== undefined && (typeof values !== 'object' || values === null || Array.isArray(values)))
    throw usageFailure('--variables is not a JSON object');
  const query = await readText(context, file);
  if (query.trim() === '') throw usageFailure(`${file === '-' ? 'standard input' : file} has no document`);
  const head = JSON.stringify({ query, ...(operation === undefined ? {} : { operationName: operation }) });
  // the text of the variables is sent unchanged: integers of 64 bits lose no digit
  const body = given === undefined ? head : `${head.slice(0, -1)},"variables":${given}}`;
  const answer = await context.hub.ask('/graphql', { method: 'POST', body });
  const text = await answer.text();
  const { errors = [] } =
    answer.headers.get('content-type')?.includes('json') === true ? (JSON.parse(text) as GraphqlAnswer) : {};
  if (errors.length === 0 && !answer.ok) throw failureOfAnswer(answer.status, text);
  context.print(text.trimEnd());
  const [first] = errors;
  if (first === undefined) return;
  const message = errors.map((error) => `${error.message} (${error.extensions?.code ?? 'no code'})`).join('\n');
  throw new Failure(statusOfCode(first.extensions?.code ?? ''), message);
};
