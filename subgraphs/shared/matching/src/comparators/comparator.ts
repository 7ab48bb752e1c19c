/** What a DR Key property holds, where it holds something. */
export type KeyValue = string | number | bigint | boolean;

/**
 * One way of comparing two values. A value is read once, whatever it is compared with. Two values that hold share a part:
 * one of those stored for the one is among those asked for the other.
 */
export interface Comparator<Read> {
  /** Undefined: there is nothing to compare, and no comparison with it holds. */
  read(value: KeyValue): Read | undefined;
  holds(source: Read, destination: Read): boolean;
  stored(read: Read): readonly string[];
  asked(read: Read): readonly string[];
  /** Parts at most. */
  readonly cost: { readonly stored: number; readonly asked: number };
}

/** A longer text is compared exactly, whatever the comparator: it is no name, and work on it would have no bound. */
const maxTextLength = 256;

/** The text of a value: numbers that are equal have one text. */
export const textOf = (value: KeyValue): string =>
  typeof value === 'number' && Number.isInteger(value) ? BigInt(value).toString() : String(value);

export const isLong = (text: string): boolean => text.length > maxTextLength;

/** What a text is that is compared exactly, apart from all that were folded. */
export const exactly = (text: string): string => `\0${text}`;

/** Values that hold when what is read of them is equal. */
export const equality = (read: Comparator<string>['read']): Comparator<string> => ({
  read,
  holds: (source, destination) => source === destination,
  stored: (text) => [text],
  asked: (text) => [text],
  cost: { stored: 1, asked: 1 },
});
