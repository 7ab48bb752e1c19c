/** Characters that a value takes in an answer in addition to its content: quotes, commas, and the digits of most numbers. */
const charactersOfValue = 6;

/**
 * Is an answer longer than the given number of characters when it is written as JSON? Stops as soon as the limit is
 * exceeded. Under aliases, one value may occur in an answer many times, so that the text is much larger than the data.
 */
export const isLongerThan = (answer: unknown, maxCharacters: number): boolean => {
  let left = maxCharacters;
  const pending: unknown[] = [answer];
  while (pending.length > 0) {
    const value = pending.pop();
    left -= charactersOfValue;
    if (typeof value === 'string') left -= value.length;
    else if (Array.isArray(value)) {
      // check the length first: an array that cannot fit is not copied
      left -= value.length;
      if (left >= 0) for (const element of value) pending.push(element);
    } else if (typeof value === 'object' && value !== null) {
      for (const name in value) {
        left -= name.length;
        pending.push((value as Readonly<Record<string, unknown>>)[name]);
      }
    }
    if (left < 0) return true;
  }
  return false;
};
