import type { FaultList } from '@fds/errors';

/**
 * Names of secrets in the metadata of every adaptor (docs/reference/adaptor-operations.md#secrets-in-metadata), and the values of the headers
 * of webhook
 * adaptors.
 */
const standardNames = ['password', 'secret', 'token', 'clientSecret', 'httpHeaders.value'] as const;

const maxNames = 100;
const maxNameLength = 256;

/** Is the value at this path of keys a secret? The path does not contain positions in lists. */
export type IsSecret = (keys: readonly string[]) => boolean;

/**
 * A value is secret if its path (its keys joined by dots) equals one of the names, or ends with a dot and one of the
 * names. Case is ignored. For example, `password` covers `password`, `database.password` as one key or as two, and
 * `targets[0].password`.
 *
 * @param secretProperties names that the adaptor type adds to the standard ones
 */
export const secretsNamed = (secretProperties: readonly string[]): IsSecret => {
  const endings = [...standardNames, ...secretProperties].map((name) => `.${name.toLowerCase()}`);
  return (keys) => {
    if (keys.length === 0) return false;
    const path = `.${keys.join('.').toLowerCase()}`;
    return endings.some((ending) => path.endsWith(ending));
  };
};

/** Reads the `secretProperties` of an adaptor type. Null means none. */
export const readSecretProperties = (
  value: readonly string[] | null | undefined,
  faults: FaultList,
): readonly string[] => {
  const names = value ?? [];
  if (names.length > maxNames) {
    faults.add(
      '/secretProperties',
      'TOO_LARGE',
      `secretProperties has ${names.length} names, and may have ${maxNames}`,
    );
    return names;
  }
  const seen = new Set<string>();
  for (const [index, name] of names.entries()) {
    const at = `/secretProperties/${index}`;
    if (name === '' || name.length > maxNameLength) {
      faults.add(at, 'OUT_OF_RANGE', `a name has 1 to ${maxNameLength} characters, this one ${name.length}`);
    } else if (name.includes('\u0000')) {
      faults.add(at, 'INVALID_CHARACTER', 'the name holds a character that cannot be stored');
    } else if (seen.has(name.toLowerCase())) {
      faults.add(at, 'DUPLICATE', `"${name}" is in the list already`);
    }
    seen.add(name.toLowerCase());
  }
  return names;
};
