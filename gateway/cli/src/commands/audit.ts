import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { finished } from 'node:stream/promises';
import { Readable, type Writable } from 'node:stream';
import { stringifyJson } from '@fds/json';
import type { CommandContext } from '../command-context.js';
import { exitStatus, Failure, failureOfAnswer, usageFailure } from '../failure.js';
import { Names, textOf } from '@fds/rest-facade/configuration';

/** Writes lines to a file, or to standard output, as fast as they are taken. */
const openOutput = (file: string | undefined): { write(line: string): Promise<void>; end(): Promise<void> } => {
  const out: Writable = file === undefined ? process.stdout : createWriteStream(file, { mode: 0o600 });
  return {
    write: async (line) => {
      if (!out.write(`${line}\n`)) await once(out, 'drain');
    },
    end: async () => {
      if (file === undefined) return;
      out.end();
      await finished(out);
    },
  };
};

const readLines = async function* (file: string): AsyncGenerator<string> {
  const input = createReadStream(file);
  // without it, a file that cannot be opened ends the process
  const failed = new Promise<never>((_, reject) => {
    input.once('error', (error: NodeJS.ErrnoException) =>
      reject(usageFailure(`${file} cannot be read: ${error.code ?? 'unknown cause'}`)),
    );
  });
  failed.catch(() => undefined);
  await Promise.race([once(input, 'open'), failed]);
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) if (line !== '') yield line;
};

export interface ExportOptions {
  readonly output?: string;
  readonly zone?: string;
  readonly type: readonly string[];
  readonly from?: string;
  readonly to?: string;
  readonly after?: string;
}

const epochMs = (name: string, text: string): number => {
  const time = /^\d+$/.test(text) ? Number(text) : Date.parse(text);
  if (!Number.isFinite(time))
    throw usageFailure(`--${name} ${text} is not a time: use 2026-01-31T12:00:00Z or epoch milliseconds`);
  return time;
};

const exportQuery = ({ type, from, to, after }: ExportOptions): string => {
  const filters = [
    ...(type.length === 0 ? [] : [`type:${type.join(':')}`]),
    ...(from === undefined ? [] : [`from:${epochMs('from', from)}`]),
    ...(to === undefined ? [] : [`to:${epochMs('to', to)}`]),
  ].join(',');
  if (after !== undefined && !/^\d+$/.test(after)) throw usageFailure(`--after ${after} is not a position`);
  return new URLSearchParams({
    order: 'OLDEST_FIRST',
    ...(filters === '' ? {} : { filters }),
    ...(after === undefined ? {} : { after }),
  }).toString();
};

const positionIn = (line: string): bigint | undefined => {
  const [, digits] = /^\{"position":(\d+),/.exec(line) ?? [];
  return digits === undefined ? undefined : BigInt(digits);
};

/** `fds audit export`: the change log as JSON lines, the oldest entry first. */
export const exportChanges = async (context: CommandContext, options: ExportOptions): Promise<void> => {
  const { hub, say } = context;
  const query = exportQuery(options);
  const zone =
    options.zone === undefined ? undefined : textOf((await new Names(hub).zone(options.zone)).resource['uuid']);
  const path = zone === undefined ? '/api/change-log' : `/api/zones/${zone}/change-log`;
  const answer = await hub.ask(`${path}?${query}`, { headers: { accept: 'application/x-ndjson' } });
  if (!answer.ok) throw failureOfAnswer(answer.status, await answer.text());
  const out = openOutput(options.output);
  let last: bigint | undefined;
  let entries = 0;
  try {
    const input = answer.body === null ? Readable.from([]) : Readable.fromWeb(answer.body);
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (line.startsWith('{"problem":'))
        throw failureOfAnswer(answer.status, JSON.stringify((JSON.parse(line) as { problem: unknown }).problem));
      await out.write(line);
      last = positionIn(line) ?? last;
      entries += 1;
    }
  } catch (error) {
    if (last !== undefined) say(`the export broke off: continue with --after ${last}`);
    throw error instanceof Failure ? error : new Failure(exitStatus.fault, `the connection ended: ${String(error)}`);
  } finally {
    await out.end();
  }
  say(`${entries} entries${last === undefined ? '' : `, the last at position ${last}`}`);
};

/** A page of `/change-log/proof`. */
interface Page {
  readonly page: number;
  readonly lastPosition: number | bigint;
  readonly entries: number;
  readonly removed: number;
  readonly previousHash: string;
  readonly hash: string;
  readonly faults: readonly { readonly kind: string; readonly position: number | bigint | null }[];
  readonly digests: readonly { readonly position: number | bigint; readonly digest: string }[];
}

const pagesAtOnce = 100;

const pagesOfHub = async function* ({ hub }: CommandContext): AsyncGenerator<Page> {
  for (let [after, more]: [number, boolean] = [0, true]; more;) {
    const answer = await hub.read<{
      readonly pages: readonly Page[];
      readonly cursor: number | null;
      readonly more: boolean;
    }>(`/change-log/proof?after=${after}&size=${pagesAtOnce}`);
    yield* answer.pages;
    more = answer.more;
    after = answer.cursor ?? after;
  }
};

const pagesOfFile = async function* (file: string): AsyncGenerator<Page> {
  for await (const line of readLines(file)) {
    let page: Partial<Page>;
    try {
      page = JSON.parse(line) as Partial<Page>;
    } catch {
      page = {};
    }
    if (typeof page.page !== 'number' || !Array.isArray(page.digests) || !Array.isArray(page.faults))
      throw usageFailure(`${file} has a line that is not a page: fds audit proof writes pages`);
    yield page as Page;
  }
};

/** `fds audit proof`: the pages of the chain of hashes, one JSON object a line. */
export const saveProof = async (context: CommandContext, { output }: { readonly output?: string }): Promise<void> => {
  const out = openOutput(output);
  let last: Page | undefined;
  try {
    for await (const page of pagesOfHub(context)) {
      await out.write(stringifyJson(page));
      last = page;
    }
  } finally {
    await out.end();
  }
  context.say(last === undefined ? 'there is no page yet' : `keep this elsewhere: --head ${last.page}:${last.hash}`);
};

export interface VerifyOptions {
  readonly proof?: string;
  readonly head?: string;
  readonly json?: boolean;
}

const sha256 = (...parts: readonly (string | Uint8Array)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** Most faults that are named. */
const maxFaults = 1_000;

/** The digests that an entry `ChangeLogRedaction` says the service itself has replaced. */
const readRedactions = (line: string, into: Map<string, string>): void => {
  if (!line.includes('"type":"ChangeLogRedaction"')) return;
  const { type, data } = JSON.parse(line) as {
    readonly type: string;
    readonly data?: { readonly entries?: readonly { readonly before: string; readonly after: string }[] };
  };
  if (type !== 'ChangeLogRedaction') return;
  for (const { before, after } of data?.entries ?? []) into.set(before, after);
};

/** `fds audit verify`: computes the chain again, from the pages and the lines of an export. Status 1 when anything differs. */
export const verifyLog = async (
  context: CommandContext,
  file: string | undefined,
  { proof, head, json }: VerifyOptions,
): Promise<void> => {
  const [, headPage, headHash] = /^(\d+):([0-9a-f]{64})$/.exec(head ?? '') ?? [];
  if (head !== undefined && headPage === undefined) throw usageFailure(`--head ${head} has not the form <page>:<hash>`);
  const faults: { page: number; kind: string; position: string | null }[] = [];
  const counts = { pages: 0, entries: 0, removed: 0, verified: 0, notExported: 0, redacted: 0, afterLastPage: 0 };
  const changed: { page: number; position: string; sealed: string; found: string }[] = [];
  const redactions = new Map<string, string>();
  const fault = (page: number, kind: string, position: string | null): void => {
    if (
      faults.length < maxFaults &&
      !faults.some((each) => each.kind === kind && each.position === position && each.page === page)
    )
      faults.push({ page, kind, position });
  };
  const lines = file === undefined ? undefined : readLines(file);
  let line = await lines?.next();
  let previous = '0'.repeat(64);
  let number = 0;
  let foundHead = false;
  for await (const page of proof === undefined ? pagesOfHub(context) : pagesOfFile(proof)) {
    counts.pages += 1;
    counts.entries += page.entries;
    counts.removed += page.removed;
    for (const each of page.faults) fault(page.page, each.kind, each.position === null ? null : String(each.position));
    const digests = new Map(page.digests.map(({ position, digest }) => [String(position), digest]));
    const wasRemoved = digests.size === 0 && page.removed === page.entries;
    const chain = sha256(Buffer.from(previous, 'hex'), ...page.digests.map(({ digest }) => Buffer.from(digest, 'hex')));
    const isNext = page.page === number + 1 && page.previousHash === previous;
    if (!isNext || (!wasRemoved && (chain.toString('hex') !== page.hash || digests.size !== page.entries)))
      fault(page.page, 'CHAIN', null);
    if (String(page.page) === headPage) foundHead = page.hash === headHash;
    previous = page.hash;
    number = page.page;
    let exported = 0;
    for (; line !== undefined && line.done !== true; line = await lines?.next()) {
      const position = positionIn(line.value);
      if (position === undefined)
        throw usageFailure(`${file} has a line that is not an entry: fds audit export writes entries`);
      if (position > BigInt(page.lastPosition)) break;
      readRedactions(line.value, redactions);
      const sealed = digests.get(String(position));
      const found = sha256(line.value).toString('hex');
      if (sealed === undefined) {
        if (!wasRemoved) fault(page.page, 'INSERTED', String(position));
        continue;
      }
      exported += 1;
      if (sealed === found) counts.verified += 1;
      else changed.push({ page: page.page, position: String(position), sealed, found });
    }
    if (lines !== undefined) counts.notExported += page.entries - page.removed - exported;
  }
  for (; line !== undefined && line.done !== true; line = await lines?.next()) {
    counts.afterLastPage += 1;
    readRedactions(line.value, redactions);
  }
  for (const { page, position, sealed, found } of changed) {
    let digest: string | undefined = sealed;
    for (let step = 0; digest !== undefined && digest !== found && step < redactions.size; step += 1)
      digest = redactions.get(digest);
    if (digest === found) counts.redacted += 1;
    else fault(page, 'CHANGED', position);
  }
  if (headPage !== undefined && !foundHead) fault(Number(headPage), 'HEAD', null);
  const head_ = number === 0 ? null : `${number}:${previous}`;
  if (json === true) context.print(stringifyJson({ intact: faults.length === 0, ...counts, head: head_, faults }, 2));
  else {
    context.print(
      `${counts.pages} pages with ${counts.entries} entries, ${counts.removed} of them removed by retention`,
    );
    if (file !== undefined)
      context.print(
        `${counts.verified} entries of ${file} are unchanged, ${counts.redacted} were rewritten by the service itself, ${counts.notExported} are not in the file, ${counts.afterLastPage} are in no page yet`,
      );
    for (const { page, kind, position } of faults)
      context.print(`page ${page}: ${kind}${position === null ? '' : ` position ${position}`}`);
    if (head_ !== null) context.print(`head ${head_}`);
  }
  if (faults.length > 0) throw new Failure(exitStatus.fault, `the change log was changed: ${faults.length} faults`);
};
