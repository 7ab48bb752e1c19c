/** Arguments of `npm run fuzz -- ...`. */
export interface FuzzArguments {
  /** Cases in all, shared equally by the targets. Default 200 000. */
  readonly cases: number;
  /** Time for all targets together, shared equally; a target with less to do leaves the rest to the next ones. Default: no end. */
  readonly minutes: number | undefined;
  /** Default: from the clock. */
  readonly seed: number;
  /** Names of targets. Default: all. */
  readonly only: readonly string[] | undefined;
}

const wholeNumber = (name: string, value: string): number => {
  if (!/^\d{1,9}$/.test(value)) throw new Error(`${name} needs a whole number, not ${value}`);
  return Number(value);
};

/** @throws Error that names the faulty argument */
export const readArguments = (words: readonly string[], nowMs: number): FuzzArguments => {
  let cases = 200_000;
  let minutes: number | undefined;
  let seed = nowMs % 1_000_000;
  let only: readonly string[] | undefined;
  for (let index = 0; index < words.length; index += 2) {
    const [name = '', value] = words.slice(index, index + 2);
    if (value === undefined) throw new Error(`${name} needs a value`);
    if (name === '--cases') cases = wholeNumber(name, value);
    else if (name === '--minutes') minutes = wholeNumber(name, value);
    else if (name === '--seed') seed = wholeNumber(name, value);
    else if (name === '--only') only = value.split(',');
    else throw new Error(`unknown argument ${name}: --cases, --minutes, --seed, --only`);
  }
  return { cases, minutes, seed, only };
};
