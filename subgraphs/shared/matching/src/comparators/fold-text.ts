/** Letters whose accent is not a combining mark. */
const barred: Readonly<Record<string, string>> = {
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  ħ: 'h',
  ŧ: 't',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
};

/** The text without its case: also ß and SS, and the two small sigmas, are equal. */
export const foldCase = (text: string): string =>
  text.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC');

/**
 * The text without case, accents and punctuation, in single blanks. An apostrophe goes, other punctuation is a blank:
 * "O'Brien-Łoś " is "obrien los". Empty where nothing is left.
 */
export const foldText = (text: string): string =>
  foldCase(text.normalize('NFKD').replaceAll(/[\u0300-\u036f]/gu, ''))
    .replaceAll(/[øđðłħŧæœþ]/gu, (letter) => barred[letter] ?? letter)
    .replaceAll(/['’`ʼ]/gu, '')
    .replaceAll(/[\p{P}\s]+/gu, ' ')
    .trim();
