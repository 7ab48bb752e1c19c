/** The value of a DR Key property, if it has one. */
export type KeyValue = string | number | bigint | boolean;

/**
 * One way of comparing two values. A value is read once for all comparisons. Two values that hold share a part:
 * one of those stored for the one is among those asked for the other.
 */
export interface Comparator<Read> {
  /** Undefined: there is no value, and every comparison with it is false. */
  read(value: KeyValue): Read | undefined;
  holds(source: Read, destination: Read): boolean;
  stored(read: Read): readonly string[];
  asked(read: Read): readonly string[];
  /** Parts at most. */
  readonly cost: { readonly stored: number; readonly asked: number };
}

/** A longer text is compared exactly, whatever the comparator: it is not a name, and other comparisons would have no bound. */
const maxTextLength = 256;

/** The text of a value: numbers that are equal have one text. */
export const textOf = (value: KeyValue): string =>
  typeof value === 'number' && Number.isInteger(value) ? BigInt(value).toString() : String(value);

export const isLong = (text: string): boolean => text.length > maxTextLength;

/** Mark of a text that is compared exactly; it differs from every folded text. */
export const exactly = (text: string): string => `\0${text}`;

/** A comparison is true when the read values are equal. */
export const equality = (read: Comparator<string>['read']): Comparator<string> => ({
  read,
  holds: (source, destination) => source === destination,
  stored: (text) => [text],
  asked: (text) => [text],
  cost: { stored: 1, asked: 1 },
});
