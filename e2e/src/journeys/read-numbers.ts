/**
 * Reads `--name value` pairs of whole numbers.
 *
 * @throws Error that names an unknown argument or a value that is not a whole number
 */
export const readNumbers = <T extends Readonly<Record<string, number>>>(words: readonly string[], defaults: T): T => {
  const given: Record<string, number> = {};
  for (let index = 0; index < words.length; index += 2) {
    const name = (words[index] ?? '').replace(/^--/, '');
    const value = words[index + 1] ?? '';
    if (!Object.hasOwn(defaults, name)) {
      throw new Error(`unknown argument ${words[index]}: --${Object.keys(defaults).join(', --')}`);
    }
    if (!/^\d+$/.test(value)) throw new Error(`--${name} needs a whole number, not ${value}`);
    given[name] = Number(value);
  }
  return { ...defaults, ...given };
};
