/** A runtime property: its name in `adaptor.properties`, its environment variable, and how its text is read. */
export interface Property<T> {
  /** Undefined: the property can only be set in the environment. */
  readonly name?: string;
  readonly variable: string;
  readonly meaning: string;
  /** Absent: the property is required. */
  readonly fallback?: T;
  /** Parses the text; undefined when the text is not acceptable. */
  readonly read: (text: string) => T | undefined;
  /** The form of an acceptable text, for the fault. */
  readonly form: string;
}

/** `1-5` or a single maximum, with an implied minimum of 1. */
export interface ConcurrencyRange {
  readonly min: number;
  readonly max: number;
}

export const text = (value: string): string | undefined => (value.trim() === '' ? undefined : value.trim());

/** An integer in a range, both ends inclusive. */
export const integerIn =
  (min: number, max: number) =>
  (value: string): number | undefined => {
    const number = /^\d+$/.test(value.trim()) ? Number(value) : undefined;
    return number !== undefined && number >= min && number <= max ? number : undefined;
  };

export const flag = (value: string): boolean | undefined => {
  const lower = value.trim().toLowerCase();
  return lower === 'true' ? true : lower === 'false' ? false : undefined;
};

export const concurrencyRange = (value: string): ConcurrencyRange | undefined => {
  const [, first, second] = /^\s*(\d{1,4})(?:\s*-\s*(\d{1,4}))?\s*$/.exec(value) ?? [];
  if (first === undefined) return undefined;
  const range = second === undefined ? { min: 1, max: Number(first) } : { min: Number(first), max: Number(second) };
  return range.min >= 1 && range.max >= range.min ? range : undefined;
};

/** Names of environment variables, separated by commas. */
export const namesOfVariables = (value: string): readonly string[] | undefined => {
  const names = value.split(',').map((name) => name.trim());
  return names.every((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) ? names : undefined;
};

export const urlOf =
  (...protocols: readonly string[]) =>
  (value: string): string | undefined => {
    const trimmed = value.trim();
    return URL.canParse(trimmed) && protocols.includes(new URL(trimmed).protocol) ? trimmed : undefined;
  };

/** One word of a list, ignoring case. */
export const wordOf =
  <const W extends string>(...words: readonly W[]) =>
  (value: string): W | undefined =>
    words.find((word) => word.toLowerCase() === value.trim().toLowerCase());
