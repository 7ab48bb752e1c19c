import { comparisonOf, type Comparison, type SearchProperty } from '../condition/search-condition.js';
import { foldedLetters } from '../values/fold-text.js';
import type { DatabaseFeatures } from './database-features.js';

/** SQL types of the forms in which values compare (see `ConditionValue`). */
export const comparedTypes: Readonly<Record<Comparison, string>> = {
  text: 'text',
  number: 'numeric',
  boolean: 'boolean',
  instant: 'numeric',
};

/** Texts are sorted and indexed by so many characters first: an entry of an index has a limit, a text has none. */
export const indexedCharacters = 200;

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The column with the data of a data-store record, for the column with its key. */
const dataColumn = (keyColumn: string): string => {
  if (!/^(?:\w+\.)?dr_key$/.test(keyColumn)) throw new TypeError(`no data column belongs to ${keyColumn}`);
  return keyColumn.replace(/dr_key$/, 'json');
};

/** The property's value as text. Names are checked by the model; quoted all the same. */
export const writeText = (keyColumn: string, { name, dataPath }: SearchProperty): string =>
  dataPath === undefined
    ? `(${keyColumn} ->> ${quote(name)})`
    : `(${dataColumn(keyColumn)} #>> ${quote(`{${dataPath.map((part) => `"${part.replaceAll('"', '')}"`).join(',')}}`)})`;

const special = Object.keys(foldedLetters).join('');
const folded = Object.values(foldedLetters).join('');

/** Folded text in code point order, as `foldText` folds it. */
const writeFolded = (text: string, { icu }: DatabaseFeatures): string =>
  `lower(translate(${text}, '${special}', '${folded}')${icu ? ' COLLATE "und-x-icu"' : ''}) COLLATE "C"`;

/** The property's value in the form in which it compares; null without a value. */
export const writeComparable = (keyColumn: string, property: SearchProperty, features: DatabaseFeatures): string => {
  const text = writeText(keyColumn, property);
  switch (comparisonOf(property)) {
    case 'text':
      return `(${writeFolded(text, features)})`;
    case 'number':
      return `${text}::numeric`;
    case 'boolean':
      return `${text}::boolean`;
    case 'instant':
      return `search_instant${text}`;
  }
};

/**
 * The expression that an index of the property contains and a listing sorts by first: the comparable, for texts its
 * beginning.
 */
export const writeIndexed = (keyColumn: string, property: SearchProperty, features: DatabaseFeatures): string => {
  const comparable = writeComparable(keyColumn, property, features);
  return comparisonOf(property) === 'text' ? `"left"(${comparable}, ${indexedCharacters})` : `(${comparable})`;
};

/** A folded text has as many characters as the text, and a character at least one byte. */
const certainlyIndexedBytes = indexedCharacters;

/**
 * Distinguishes texts with the same indexed beginning, in their order: the whole text, only where it is longer. Short
 * texts are not folded for it.
 */
export const writeBeyondIndexed = (keyColumn: string, property: SearchProperty, features: DatabaseFeatures): string => {
  const whole = writeComparable(keyColumn, property, features);
  const mayBeLonger = `octet_length${writeText(keyColumn, property)} > ${certainlyIndexedBytes}`;
  return `(CASE WHEN ${mayBeLonger} AND length(${whole}) > ${indexedCharacters} THEN ${whole} END)`;
};
