const uuidText = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Is the text a UUID, of whatever version and case? */
export const isUuid = (text: string): boolean => uuidText.test(text);
