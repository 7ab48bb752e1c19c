/** PostgreSQL's jsonb holds neither the character NUL nor half of a surrogate pair. */
const unstorable = /[\0\p{Surrogate}]/u;

/** Can the text be stored? */
export const isStorableText = (text: string): boolean => !unstorable.test(text);
