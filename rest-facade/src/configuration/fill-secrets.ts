import { isJsonObject, type JsonValue } from '@fds/json';
import { textOf } from './names.js';
import type { RefusalCause } from './rest-client.js';

const secretNames = ['password', 'secret', 'token', 'clientsecret'];

/** Is the text a variable, and nothing else? */
const variable = /^\$\{([A-Za-z_]\w*)\}$/;

/** Names of secrets of an adaptor type, in lower case. */
type SecretNames = readonly string[];

/** A key is secret by its own name, or by its end after a dot. Names of a type count at any depth, and joined by dots. */
const isSecretKey = (path: readonly string[], names: SecretNames): boolean => {
  const key = (path.at(-1) ?? '').toLowerCase();
  const whole = path.join('.').toLowerCase();
  return (
    secretNames.some((name) => key === name || key.endsWith(`.${name}`)) ||
    names.some((name) => key === name || whole === name || whole.endsWith(`.${name}`))
  );
};

/** Members of a document that hold secrets: a function that says so for the path of a text below `spec`. */
const secretsOf = (kind: unknown, names: SecretNames): ((path: readonly string[]) => boolean) => {
  switch (kind) {
    case 'User':
      return (path) => path.length === 1 && path[0] === 'password';
    case 'Adaptor':
      return ([member, ...path]) => member === 'metadata' && isSecretKey(path, names);
    case 'AdaptorType':
      return ([member, ...path]) => member === 'defaultMetadata' && isSecretKey(path, names);
    case 'Notification':
      return (path) =>
        path.join('.') === 'secret' ||
        path.join('.') === 'oauth2Registration.clientSecret' ||
        (path[0] === 'httpHeaders' && path.at(-1) === 'value');
    default:
      return () => false;
  }
};

const namesOf = (value: JsonValue | undefined): SecretNames =>
  Array.isArray(value) ? value.flatMap((name) => (typeof name === 'string' ? [name.toLowerCase()] : [])) : [];

export interface FilledDocuments {
  readonly documents: readonly JsonValue[];
  readonly faults: readonly RefusalCause[];
}

/**
 * Replaces `${NAME}` in secret members by variables of the environment. Elsewhere it is text.
 *
 * @param typeSecrets the `secretProperties` of adaptor types that are not among the documents, by name
 */
export const fillSecrets = (
  documents: readonly JsonValue[],
  environment: Readonly<Record<string, string | undefined>>,
  typeSecrets: ReadonlyMap<string, readonly string[]> = new Map(),
): FilledDocuments => {
  const faults: RefusalCause[] = [];
  const types = new Map([...typeSecrets].map(([name, names]) => [name, names.map((each) => each.toLowerCase())]));
  for (const document of documents) {
    if (!isJsonObject(document) || document['kind'] !== 'AdaptorType' || !isJsonObject(document['spec'])) continue;
    if (document['spec']['secretProperties'] !== undefined)
      types.set(textOf(document['name']), [...namesOf(document['spec']['secretProperties'])]);
  }
  const namesFor = ({ kind, name, spec }: Readonly<Record<string, JsonValue | undefined>>): SecretNames => {
    const type = kind === 'AdaptorType' ? name : isJsonObject(spec) ? spec['adaptorType'] : undefined;
    if (typeof type === 'string') return types.get(type) ?? [];
    // the type of an adaptor that exists may be left out
    return kind === 'Adaptor' ? [...types.values()].flat() : [];
  };
  const fill = (
    value: JsonValue,
    path: readonly string[],
    at: string,
    isSecret: (path: readonly string[]) => boolean,
  ): JsonValue => {
    if (Array.isArray(value))
      return value.map((each: JsonValue, place) => fill(each, [...path, String(place)], `${at}/${place}`, isSecret));
    if (isJsonObject(value))
      return Object.fromEntries(
        Object.entries(value).map(([name, member]) => [
          name,
          fill(
            member as JsonValue,
            [...path, name],
            `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
            isSecret,
          ),
        ]),
      );
    const [, name] = typeof value === 'string' ? (variable.exec(value) ?? []) : [];
    if (name === undefined || !isSecret(path)) return value;
    const found = environment[name];
    if (found !== undefined) return found;
    faults.push({ pointer: at, code: 'MISSING_VARIABLE', detail: `the variable ${name} is not set` });
    return value;
  };
  const filled = documents.map((document, index) => {
    if (!isJsonObject(document)) return document;
    const { kind, spec } = document;
    if (spec === undefined) return document;
    return { ...document, spec: fill(spec, [], `/${index}/spec`, secretsOf(kind, namesFor(document))) };
  });
  return { documents: filled, faults };
};
