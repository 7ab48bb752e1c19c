/** Texts in portions of at most so many characters, in order. A text that is longer is a portion alone. */
export const inPortions = (texts: readonly string[], maxCharacters: number): readonly (readonly string[])[] => {
  const portions: string[][] = [];
  let characters = 0;
  for (const text of texts) {
    characters += text.length;
    const current = portions.at(-1);
    if (current === undefined || characters > maxCharacters) {
      portions.push([text]);
      characters = text.length;
    } else current.push(text);
  }
  return portions;
};
