import { readFile, stat, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { isJsonObject, parseJson, stringifyJson, type JsonValue } from '@fds/json';
import { fillSecrets, isRefused, type RefusalCause, type Resource } from '@fds/rest-facade/configuration';
import type { CommandContext } from '../command-context.js';
import { placeOf, readDocumentFiles, type FileDocument, type PlacedFault } from '../configuration/read-files.js';
import { exitStatus, Failure, failureOfAnswer, usageFailure } from '../failure.js';
import { plainText } from '../print-rows.js';

export interface PlanCommandOptions {
  readonly file: string;
  readonly out?: string;
  readonly prune?: boolean;
  readonly json?: boolean;
}

export interface ApplyCommandOptions {
  readonly file: string;
  readonly prune?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

interface Change {
  readonly action: string;
  readonly kind: string;
  readonly name: string;
  readonly before: Readonly<Record<string, JsonValue>> | null;
  readonly after: Readonly<Record<string, JsonValue>> | null;
}

interface PropertyAccess {
  readonly domainVersion: string;
  readonly property: string;
  readonly actions: readonly string[];
}

interface Plan {
  readonly planUuid: string | null;
  readonly changes: readonly Change[];
  readonly faults: readonly RefusalCause[];
  readonly access: readonly {
    readonly subject: { readonly kind: string; readonly name: string };
    readonly gains: readonly PropertyAccess[];
    readonly loses: readonly PropertyAccess[];
  }[];
}

/** A plan in a file: where it can be applied, and what it does. It has no secrets. */
interface PlanFile {
  readonly fdsPlan: 1;
  readonly url: string;
  readonly plan: Plan;
}

/** Status of `plan` and `drift` for documents that differ from the hub. */
const different = 2;

const failWith = (context: CommandContext, faults: readonly PlacedFault[]): never => {
  for (const { place, code, detail } of faults) context.say(plainText(`${place}: ${detail} (${code})`));
  const isForbidden = faults.length > 0 && faults.every(({ code }) => code === 'FORBIDDEN' || code === 'NOT_HELD');
  throw new Failure(
    isForbidden ? exitStatus.forbidden : exitStatus.fault,
    faults.length === 1 ? 'the documents have a fault' : `the documents have ${faults.length} faults`,
  );
};

/** Secrets of adaptor types of the hub. A user who may not list them needs none. */
const typeSecrets = async ({ hub }: CommandContext): Promise<ReadonlyMap<string, readonly string[]>> => {
  try {
    const types = await hub.list<Resource>('/adaptor-types');
    return new Map(types.map((type) => [String(type['name']), (type['secretProperties'] ?? []) as readonly string[]]));
  } catch (error) {
    if (isRefused(error, 403)) return new Map();
    throw error;
  }
};

const readAll = async (context: CommandContext, file: string): Promise<readonly FileDocument[]> => {
  const { documents, faults } = await readDocumentFiles(file);
  return faults.length > 0 ? failWith(context, faults) : documents;
};

const secretsFilled = async (
  context: CommandContext,
  documents: readonly FileDocument[],
): Promise<readonly JsonValue[]> => {
  const values = documents.map(({ value }) => value);
  const needsTypes = values.some((value) => isJsonObject(value) && value['kind'] === 'Adaptor');
  const filled = fillSecrets(values, process.env, needsTypes ? await typeSecrets(context) : undefined);
  if (filled.faults.length === 0) return filled.documents;
  return failWith(
    context,
    filled.faults.map(({ pointer, ...fault }) => ({ ...fault, place: placeOf(documents, pointer) })),
  );
};

const ask = async (context: CommandContext, path: string, body?: JsonValue): Promise<string> => {
  const answer = await context.hub.ask(`/api${path}`, {
    method: 'POST',
    ...(body === undefined ? {} : { body: stringifyJson(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw failureOfAnswer(answer.status, text);
  return text;
};

/** Plans the documents of the files. @throws Failure when they have faults */
const planFiles = async (context: CommandContext, file: string, prune: boolean): Promise<Plan> => {
  const documents = await readAll(context, file);
  const values = await secretsFilled(context, documents);
  const plan = parseJson(await ask(context, `/plan${prune ? '?prune=true' : ''}`, [...values])) as unknown as Plan;
  if (plan.faults.length > 0)
    failWith(
      context,
      plan.faults.map(({ pointer, ...fault }) => ({ ...fault, place: placeOf(documents, pointer) })),
    );
  return plan;
};

const marks: Readonly<Record<string, string>> = { CREATE: '+', UPDATE: '~', DELETE: '-', MOVE: '>' };

const shorten = (value: JsonValue | undefined): string => {
  const text = value === undefined ? 'null' : stringifyJson(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
};

const linesOf = ({ action, kind, name, before, after }: Change): readonly string[] => {
  const entry = (after ?? before)?.['name'];
  const label = kind.endsWith('Acls') && typeof entry === 'string' ? ` ${entry}` : '';
  const head = `${marks[action] ?? '?'} ${action} ${kind} ${name}${label}`;
  if (before === null || after === null) return [head];
  const members = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return [
    head,
    ...members
      .filter((member) => stringifyJson(before[member] ?? null) !== stringifyJson(after[member] ?? null))
      .map((member) => `    ${member}: ${shorten(before[member])} -> ${shorten(after[member])}`),
  ];
};

const accessLines = ({ access }: Plan): readonly string[] =>
  access.flatMap(({ subject, gains, loses }) =>
    (
      [
        ['gains', gains],
        ['loses', loses],
      ] as const
    ).flatMap(([word, all]) =>
      all.map(
        ({ domainVersion, property, actions }) =>
          `  ${subject.kind} ${subject.name} ${word} ${actions.join(', ')} of ${property} in ${domainVersion}`,
      ),
    ),
  );

const show = (context: CommandContext, plan: Plan, json: boolean | undefined): void => {
  if (json === true) return context.print(stringifyJson(plan, 2));
  if (plan.changes.length === 0) return context.say('Nothing differs');
  for (const line of plan.changes.flatMap(linesOf)) context.print(plainText(line));
  const access = accessLines(plan);
  if (access.length > 0) context.print('Access to data:');
  for (const line of access) context.print(plainText(line));
  context.say(plan.changes.length === 1 ? '1 change' : `${plan.changes.length} changes`);
};

/** `fds plan -f <dir>`: shows the changes that the documents would make. */
export const plan = async (context: CommandContext, options: PlanCommandOptions): Promise<void> => {
  const made = await planFiles(context, options.file, options.prune === true);
  if (options.out !== undefined) {
    const kept: PlanFile = { fdsPlan: 1, url: await context.hub.address(), plan: made };
    await writeFile(options.out, `${stringifyJson(kept, 2)}\n`, { mode: 0o600 });
  }
  show(context, made, options.json);
  if (made.changes.length > 0) process.exitCode = different;
};

/** `fds drift -f <dir>`: does the hub differ from the documents? */
export const drift = (context: CommandContext, options: Omit<PlanCommandOptions, 'out'>): Promise<void> =>
  plan(context, options);

/** The plan of a file; undefined when the file has documents. */
const readPlanFile = async (file: string): Promise<PlanFile | undefined> => {
  const kind = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw usageFailure(`${file} cannot be read: ${error.code ?? error.message}`);
  });
  if (!kind.isFile()) return undefined;
  try {
    const value = parseJson(await readFile(file, 'utf8'));
    return isJsonObject(value) && value['fdsPlan'] === 1 ? (value as unknown as PlanFile) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

const confirm = async (context: CommandContext): Promise<void> => {
  if (!process.stdin.isTTY) throw usageFailure('without a terminal, apply needs --yes');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await lines.question('Apply these changes? [y/N] ').finally(() => lines.close());
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new Failure(exitStatus.fault, 'nothing was applied');
  context.say('');
};

interface Applied {
  readonly clients: readonly { readonly name: string; readonly clientId: string; readonly clientSecret: string }[];
}

/** `fds apply -f <dir>|<plan file>`: makes the hub what the documents say. */
export const apply = async (context: CommandContext, options: ApplyCommandOptions): Promise<void> => {
  const kept = await readPlanFile(options.file);
  if (kept !== undefined && options.prune === true)
    throw usageFailure('--prune is decided when the plan is made: fds plan --prune');
  if (options.yes !== true && !process.stdin.isTTY) throw usageFailure('without a terminal, apply needs --yes');
  if (kept !== undefined && kept.url !== (await context.hub.address()))
    throw usageFailure(`the plan was made for ${kept.url}`);
  const made = kept?.plan ?? (await planFiles(context, options.file, options.prune === true));
  if (options.json !== true) show(context, made, false);
  if (made.changes.length === 0 || made.planUuid === null) {
    if (options.json === true) context.print(stringifyJson({ changes: [], clients: [] }, 2));
    return;
  }
  if (options.yes !== true) await confirm(context);
  const text = await ask(context, `/plan/${made.planUuid}/apply`);
  if (options.json === true) return context.print(stringifyJson(parseJson(text), 2));
  const { clients } = parseJson(text) as unknown as Applied;
  for (const { name, clientId, clientSecret } of clients)
    context.print(plainText(`${name}\n  client id:     ${clientId}\n  client secret: ${clientSecret}`));
  context.say('Applied');
};
