/** Values that entries select; null or absent means any in an entry, and unknown in a question. */
export interface Selectors {
  readonly zone?: string | null | undefined;
  readonly source?: string | null | undefined;
  readonly destination?: string | null | undefined;
  readonly version?: string | null | undefined;
  readonly record?: string | null | undefined;
}

/** As bits; a shape is the set of selectors that an entry names. */
export const zoneBit = 1;
const sourceBit = 2;
const destinationBit = 4;
const versionBit = 8;
const recordBit = 16;

const shapeOf = ({ zone, source, destination, version, record }: Selectors): number =>
  (zone == null ? 0 : zoneBit) |
  (source == null ? 0 : sourceBit) |
  (destination == null ? 0 : destinationBit) |
  (version == null ? 0 : versionBit) |
  (record == null ? 0 : recordBit);

const keyOf = (shape: number, { zone, source, destination, version, record }: Selectors): string => {
  let key = '';
  if ((shape & zoneBit) !== 0) key += zone;
  if ((shape & sourceBit) !== 0) key += `|${source}`;
  if ((shape & destinationBit) !== 0) key += `|${destination}`;
  if ((shape & versionBit) !== 0) key += `|${version}`;
  if ((shape & recordBit) !== 0) key += `|${record}`;
  return key;
};

/** One value for each set of selectors in use. */
export class SelectorIndex<Value> {
  readonly #shapes = new Map<number, Map<string, Value>>();
  readonly #create: () => Value;

  /** @param create the value of selectors that are met for the first time */
  constructor(create: () => Value) {
    this.#create = create;
  }

  /** The value of exactly these selectors. */
  at(selectors: Selectors): Value {
    const shape = shapeOf(selectors);
    let values = this.#shapes.get(shape);
    if (values === undefined) this.#shapes.set(shape, (values = new Map()));
    const key = keyOf(shape, selectors);
    let value = values.get(key);
    if (value === undefined) values.set(key, (value = this.#create()));
    return value;
  }

  /**
   * The values of all matching selectors: at most 32, for any number of entries.
   *
   * @param required bits that the selectors must name
   */
  fulfilledBy(known: Selectors, required = 0): Value[] {
    const knownShape = shapeOf(known);
    const found: Value[] = [];
    for (const [shape, values] of this.#shapes) {
      if ((shape & ~knownShape) !== 0 || (shape & required) !== required) continue;
      const value = values.get(keyOf(shape, known));
      if (value !== undefined) found.push(value);
    }
    return found;
  }
}
