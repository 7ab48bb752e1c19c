import type { ErrorCause } from '@fds/errors';
import { type JsonObject, type JsonValue, toSegment } from '@fds/json';
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

/** Properties by their name in lower case. */
type Level = ReadonlyMap<string, ModelProperty>;

/** The properties of a model and of its objects, each level indexed when it is first asked for. */
const indexLevels = () => {
  const levels = new Map<readonly ModelProperty[], Level>();
  return (properties: readonly ModelProperty[]): Level => {
    const known = levels.get(properties);
    if (known !== undefined) return known;
    const level = new Map(properties.map((property) => [property.name.toLowerCase(), property]));
    levels.set(properties, level);
    return level;
  };
};

/** Only objects are gone into: a list of them is JSON in a cell. */
const nestedOf = (property: ModelProperty): readonly ModelProperty[] =>
  property.type === 'object' ? nestedProperties(property) : [];

const findColumn = (
  { properties }: CompiledModel,
  levelOf: ReturnType<typeof indexLevels>,
  title: string,
  keyTypeOf: KeyTypeOf,
): Column | undefined => {
  const path: string[] = [];
  let level = levelOf(properties);
  let found: ModelProperty | undefined;
  for (const name of title.trim().split('.')) {
    found = level.get(name.toLowerCase());
    if (found === undefined) return undefined;
    path.push(found.name);
    level = levelOf(nestedOf(found));
  }
  return found === undefined ? undefined : { path, read: cellReaderOf(found, keyTypeOf) };
};

const countIn = (properties: readonly ModelProperty[]): number =>
  properties.reduce((sum, property) => sum + 1 + countIn(nestedOf(property)), 0);

/** The number of properties that a title can name: more titles than these are wrong. */
export const countPaths = ({ properties }: CompiledModel): number => countIn(properties);

/** The paths of columns, to find those that name the same property, or a property of another one's. */
class TakenPaths {
  /** Each path, and each object that a path leads through. */
  readonly #reached = new Set<string>();
  readonly #whole = new Set<string>();

  /** False: the path overlaps one that is taken. */
  take(path: readonly string[]): boolean {
    const starts = path.map((_, index) => path.slice(0, index + 1).join('.'));
    const whole = starts.at(-1) ?? '';
    if (this.#reached.has(whole) || starts.some((start) => this.#whole.has(start))) return false;
    for (const start of starts) this.#reached.add(start);
    this.#whole.add(whole);
    return true;
  }
}

const memberOf = (object: Record<string, JsonValue>, name: string): Record<string, JsonValue> => {
  const known = object[name];
  if (known !== undefined) return known as Record<string, JsonValue>;
  // without a prototype, so that no name is special
  const made = Object.create(null) as Record<string, JsonValue>;
  object[name] = made;
  return made;
};

const cause = (title: string, code: string, detail: string): ErrorCause => ({
  pointer: `/${toSegment(title).replaceAll('.', '/')}`,
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
  const levelOf = indexLevels();
  const taken = new TakenPaths();
  for (const title of titles) {
    const column = findColumn(model, levelOf, title, keyTypeOf);
    if (column === undefined) errors.push(cause(title, 'UNKNOWN_PROPERTY', `the model has no property ${title}`));
    else if (!taken.take(column.path)) {
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
