import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'dot-properties';
import type { Property } from './property.js';
import { resolveText } from './resolve-variables.js';

export type PropertyTable = Readonly<Record<string, Property<unknown>>>;
export type PropertyValues<T extends PropertyTable> = {
  readonly [K in keyof T]: T[K] extends Property<infer V> ? V : never;
};

/** Sources of properties. */
export interface PropertySources {
  /** Takes precedence over the file. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Dotted names, as in `adaptor.properties`. */
  readonly file: Readonly<Record<string, string>>;
}

/** Some properties are missing or wrong. The message names all of them, but never shows values. */
export class PropertyFault extends Error {
  override readonly name = 'PropertyFault';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`The adaptor's properties are not complete:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.faults = faults;
  }
}

/**
 * Reads a table of properties. Adaptors read their additional properties with the same function.
 *
 * @throws PropertyFault with all faults at once
 */
export const readProperties = <const T extends PropertyTable>(
  table: T,
  sources: PropertySources,
): PropertyValues<T> => {
  const faults: string[] = [];
  const values = Object.entries(table).map(([key, property]) => {
    const { given, missing } = givenText(property, sources);
    if (missing.length > 0) {
      faults.push(...missing.map((name) => `${labelOf(property)}: the environment variable ${name} is not set`));
      return [key, undefined] as const;
    }
    if (given !== undefined) {
      const value = property.read(given);
      if (value === undefined) faults.push(`${labelOf(property)} must be ${property.form}`);
      return [key, value] as const;
    }
    if (!('fallback' in property)) faults.push(`${labelOf(property)} is missing`);
    return [key, property.fallback] as const;
  });
  if (faults.length > 0) throw new PropertyFault(faults);
  return Object.fromEntries(values) as PropertyValues<T>;
};

/** The text of a property. `${NAME}` in the file is replaced by the environment variable. */
const givenText = (
  property: Property<unknown>,
  { environment, file }: PropertySources,
): { readonly given: string | undefined; readonly missing: readonly string[] } => {
  const variable = environment[property.variable];
  if (variable !== undefined && variable !== '') return { given: variable, missing: [] };
  const written = property.name === undefined ? undefined : file[property.name];
  if (written === undefined) return { given: undefined, missing: [] };
  const { text, missing } = resolveText(written, environment);
  return { given: text, missing };
};

/** Is the property set, with a valid or an invalid value? */
export const isGiven = (property: Property<unknown>, sources: PropertySources): boolean =>
  givenText(property, sources).given !== undefined;

const labelOf = ({ name, variable }: Property<unknown>): string =>
  name === undefined ? variable : `${name} (${variable})`;

/** Names in the file that are neither in the table nor in the list: probably misspelt. */
export const unknownProperties = (
  table: PropertyTable,
  { file }: PropertySources,
  others: readonly string[],
): readonly string[] => {
  const known = new Set([...others, ...Object.values(table).flatMap(({ name }) => (name === undefined ? [] : [name]))]);
  return Object.keys(file).filter((name) => !known.has(name));
};

const configuredFile = (args: readonly string[]): string | undefined => {
  const inline = args.find((argument) => argument.startsWith('--config='));
  if (inline !== undefined) return inline.slice('--config='.length);
  const at = args.indexOf('--config');
  return at < 0 ? undefined : (args[at + 1] ?? '');
};

/** Undefined when the file does not exist. @throws PropertyFault when it cannot be read */
const readText = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
    if (code === 'ENOENT') return undefined;
    throw new PropertyFault([`the file ${path} cannot be read (${code})`]);
  }
};

/**
 * The environment of the process, and its properties file: the file named with `--config`, otherwise
 * `adaptor.properties` in the working directory if it exists.
 *
 * @throws PropertyFault when the named file does not exist, or the file cannot be read
 */
export const propertySourcesOf = (process: {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  cwd(): string;
}): PropertySources => {
  const named = configuredFile(process.argv.slice(2));
  const content = readText(named ?? join(process.cwd(), 'adaptor.properties'));
  if (named !== undefined && content === undefined)
    throw new PropertyFault([named === '' ? '--config names no file' : `--config ${named}: there is no such file`]);
  const file: unknown = parse(content ?? '');
  return { environment: process.env, file: file as Record<string, string> };
};
