import { parseJson, type JsonValue } from '@fds/json';
import type { ModelProperty, Reference, ScalarType } from '@fds/model-schema';

/** Reads the text of a cell. Text that does not fit its type stays text, and the model refuses it by its place. */
export type ReadCell = (text: string) => JsonValue;

/** Type of the DR Key of a reference's target, where the key is one property; undefined: not known. */
export type KeyTypeOf = (reference: Reference) => ScalarType | undefined;

const number = /^\s*-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\s*$/;

const readJson: ReadCell = (text) => {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
};

const readNumber: ReadCell = (text) => (number.test(text) ? readJson(text) : text);

const readBoolean: ReadCell = (text) => {
  const word = text.trim().toLowerCase();
  return word === 'true' || word === 'false' ? word === 'true' : text;
};

const scalarReaders: Readonly<Record<ScalarType, ReadCell>> = {
  string: (text) => text,
  integer: readNumber,
  number: readNumber,
  boolean: readBoolean,
};

/** `/drs/<uuid>`, `/domains/...`, JSON, or the DR Key itself. */
const referenceReader = (reference: Reference, keyTypeOf: KeyTypeOf): ReadCell => {
  const readKey = scalarReaders[keyTypeOf(reference) ?? 'string'];
  return (text) => {
    if (/^\/(?:drs|domains)\//.test(text)) return { $ref: text };
    return /^\s*[{[]/.test(text) ? readJson(text) : readKey(text);
  };
};

/** Lists and whole objects are JSON in a cell. */
export const cellReaderOf = (property: ModelProperty, keyTypeOf: KeyTypeOf): ReadCell => {
  switch (property.type) {
    case 'reference':
      return referenceReader(property.reference, keyTypeOf);
    case 'array':
      return 'reference' in property.items ? referenceReader(property.items.reference, keyTypeOf) : readJson;
    case 'object':
      return readJson;
    default:
      return scalarReaders[property.type];
  }
};
