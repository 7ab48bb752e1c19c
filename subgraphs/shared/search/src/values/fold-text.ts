/** Letters whose lower case has two characters or depends on the letters around them, and the letters that they fold to. */
export const foldedLetters: Readonly<Record<string, string>> = { İ: 'i', Σ: 'σ', ς: 'σ' };

const special = new RegExp(`[${Object.keys(foldedLetters).join('')}]`, 'g');

/**
 * The form in which texts are compared ignoring case. Each character folds to one character, regardless of its
 * neighbours, so that the parts of a text fold as the whole does. PostgreSQL: `lower(translate(text, 'İΣς', 'iσσ') COLLATE "und-x-icu")`.
 */
export const foldText = (text: string): string =>
  text.replace(special, (letter) => foldedLetters[letter] ?? letter).toLowerCase();
