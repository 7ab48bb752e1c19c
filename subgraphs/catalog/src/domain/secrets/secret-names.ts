import type { FaultList } from '@fds/resource-rules';

/**
 * Names of secrets in the metadata of every adaptor (docs/specification/adaptors.md#secrets), and the values of the headers
 * of webhook
 * adaptors.
 */
const standardNames = ['password', 'secret', 'token', 'clientSecret', 'httpHeaders.value'] as const;

const maxNames = 100;
const maxNameLength = 256;

/** Is the value at these keys a secret? Positions in lists are left out. */
export type IsSecret = (keys: readonly string[]) => boolean;

/**
 * A value is a secret when its path, the keys joined by dots, is one of the names or ends in one after a dot. Case does not
 * matter. So `password` names `password`, `database.password` as one key and as two, and `targets[0].password`.
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

/** Reads the `secretProperties` of an adaptor type; null stands for none. */
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
