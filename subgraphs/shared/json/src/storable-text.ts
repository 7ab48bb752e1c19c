const unstorable = /[\0\p{Surrogate}]/u;

/** Can text be stored as it is? PostgreSQL refuses U+0000, and half a surrogate pair is not Unicode. */
export const isStorableText = (text: string): boolean => !unstorable.test(text);

const allUnstorable = /[\0\p{Surrogate}]/gu;

/**
 * The beginning of a text without the characters that cannot be stored.
 *
 * @param length most characters (UTF-16 code units); a pair of surrogates is not cut
 */
export const storableStart = (text: string, length: number): string =>
  text.slice(0, length).replaceAll(allUnstorable, '');
