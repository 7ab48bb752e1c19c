import type { JsonObject, JsonValue } from '@fds/adaptor-protocol';

type Environment = Readonly<Record<string, string | undefined>>;

const reference = /\$(\$(?=\{)|\{([A-Za-z_][A-Za-z0-9_]*)\})/g;

/** Names of the variables in a text. */
export const variablesIn = (text: string): readonly string[] =>
  [...text.matchAll(reference)].flatMap(([, , name]) => (name === undefined ? [] : [name]));

/** A text with its variables replaced, and the names of the variables that are not set. */
export const resolveText = (
  text: string,
  environment: Environment,
): { readonly text: string; readonly missing: readonly string[] } => {
  const missing: string[] = [];
  const resolved = text.replace(reference, (whole, _, name: string | undefined) => {
    if (name === undefined) return '$';
    const value = environment[name];
    if (value === undefined) missing.push(name);
    return value ?? whole;
  });
  return { text: resolved, missing };
};

/** A configuration names variables that are not set or not allowed. The message has places and names, never values. */
export class VariableFault extends Error {
  override readonly name = 'VariableFault';
  constructor(readonly faults: readonly string[]) {
    super(faults.join('; '));
  }
}

const pointerToken = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

/**
 * Replaces `${NAME}` in the texts of a configuration by variables of the process environment; `$${` becomes `${`. Names
 * of members stay unchanged.
 *
 * @param mayName may the configuration name this variable?
 * @throws VariableFault that names each variable that is not set or not allowed, with its place
 */
export const resolveVariables = (
  value: JsonObject,
  environment: Environment,
  mayName: (variable: string) => boolean,
): JsonObject => {
  const faults: string[] = [];
  const resolved = (inner: JsonValue, pointer: string): JsonValue => {
    if (typeof inner === 'string') {
      const refused = variablesIn(inner).filter((name) => !mayName(name));
      for (const name of refused) faults.push(`${pointer}: the metadata may not name the environment variable ${name}`);
      if (refused.length > 0) return inner;
      const { text, missing } = resolveText(inner, environment);
      for (const name of missing) faults.push(`${pointer}: the environment variable ${name} is not set`);
      return text;
    }
    if (Array.isArray(inner)) return inner.map((item: JsonValue, index) => resolved(item, `${pointer}/${index}`));
    if (typeof inner === 'object' && inner !== null) return resolvedObject(inner as JsonObject, pointer);
    return inner;
  };
  const resolvedObject = (object: JsonObject, pointer: string): JsonObject =>
    Object.fromEntries(
      Object.entries(object).map(([key, member]) => [key, resolved(member ?? null, `${pointer}/${pointerToken(key)}`)]),
    );
  const result = resolvedObject(value, '');
  if (faults.length > 0) throw new VariableFault(faults);
  return result;
};
