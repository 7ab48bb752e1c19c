const unstorable = /[\0\p{Surrogate}]/u;

/** Can text be stored as it is? PostgreSQL refuses U+0000, and half a surrogate pair is not Unicode. */
export const isStorableText = (text: string): boolean => !unstorable.test(text);
