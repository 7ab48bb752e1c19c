import type { ErrorCause } from '@fds/errors';
import type { JsonObject, JsonValue } from '@fds/json';
import { nestedProperties, type CompiledModel, type ModelProperty } from '@fds/model-schema';
import { BrokenFile } from '../rows/broken-file.js';
import { cellReaderOf, type KeyTypeOf, type ReadCell } from './read-cell.js';

/** Makes a record of a row's cells; undefined is an absent one. */
export type ReadCells = (cells: readonly (string | undefined)[]) => JsonObject;

interface Column {
  /** Names of the properties from the top of the record. */
  readonly path: readonly string[];
  readonly read: ReadCell;
}

const findProperty = (properties: readonly ModelProperty[], name: string): ModelProperty | undefined =>
  properties.find((property) => property.name.toLowerCase() === name.toLowerCase());

/** Only objects are gone into: a list of them is JSON in a cell. */
const findColumn = (model: CompiledModel, title: string, keyTypeOf: KeyTypeOf): Column | undefined => {
  const path: string[] = [];
  let properties = model.properties;
  let found: ModelProperty | undefined;
  for (const name of title.trim().split('.')) {
    found = findProperty(properties, name);
    if (found === undefined) return undefined;
    path.push(found.name);
    properties = found.type === 'object' ? nestedProperties(found) : [];
  }
  return found === undefined ? undefined : { path, read: cellReaderOf(found, keyTypeOf) };
};

const overlaps = (one: Column, other: Column): boolean =>
  one.path.every((name, index) => index >= other.path.length || name === other.path[index]);

const memberOf = (object: Record<string, JsonValue>, name: string): Record<string, JsonValue> => {
  const known = object[name];
  if (known !== undefined) return known as Record<string, JsonValue>;
  // without a prototype, so that no name is special
  const made = Object.create(null) as Record<string, JsonValue>;
  object[name] = made;
  return made;
};

const cause = (title: string, code: string, detail: string): ErrorCause => ({
  pointer: `/${title.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('.', '/')}`,
  code,
  detail,
});

/**
 * Holds the header of a CSV file against the model: each title is a property, nested ones by dots, in any case and order.
 *
 * @throws BrokenFile with every title that is unknown or given twice
 */
export const readHeader = (model: CompiledModel, titles: readonly string[], keyTypeOf: KeyTypeOf): ReadCells => {
  const columns: Column[] = [];
  const errors: ErrorCause[] = [];
  for (const title of titles) {
    const column = findColumn(model, title, keyTypeOf);
    if (column === undefined) errors.push(cause(title, 'UNKNOWN_PROPERTY', `the model has no property ${title}`));
    else if (columns.some((other) => overlaps(other, column))) {
      errors.push(cause(title, 'DUPLICATE_PROPERTY', `the property ${title} is given twice`));
    } else columns.push(column);
  }
  if (errors.length > 0) {
    throw new BrokenFile('the header does not fit the model', { code: 'VALIDATION_FAILED', errors });
  }
  return (cells) => {
    const record = Object.create(null) as Record<string, JsonValue>;
    for (const [index, { path, read }] of columns.entries()) {
      const cell = cells[index];
      if (cell === undefined) continue;
      const holder = path.slice(0, -1).reduce(memberOf, record);
      holder[path.at(-1) ?? ''] = read(cell);
    }
    return record;
  };
};
