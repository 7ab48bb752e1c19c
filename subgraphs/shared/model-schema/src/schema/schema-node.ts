import { shownValue } from '../shown-value.js';
import { isJsonObject, type JsonObject, type JsonValue, isStorableText, pointerTo } from '@fds/json';
import type { FaultList } from '@fds/errors';
import { hasEnum, standardKeyword, typeSpellings, type SchemaKind } from './keywords.js';

interface Keyword {
  /** As posted, for the pointer of a fault. */
  readonly posted: string;
  readonly value: JsonValue;
}

/** The 64-bit signed integer, exact; whole numbers with an exponent are integers too. */
const toInt64 = (value: JsonValue): number | bigint | undefined => {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  const integer = typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value;
  return typeof integer === 'bigint' && BigInt.asIntN(64, integer) === integer ? integer : undefined;
};

const isFiniteNumber = (value: JsonValue): value is number | bigint =>
  typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value));

/** A property's schema (or `items`) as posted, read under the standard spellings. Every reader reports its faults. */
export class SchemaNode {
  /** Own `required: true` of the property; undefined when it does not say. */
  readonly required: boolean | undefined;
  readonly #keywords: ReadonlyMap<string, Keyword>;
  readonly #faults: FaultList;

  constructor(
    readonly kind: SchemaKind,
    readonly pointer: string,
    parts: { readonly required: boolean | undefined; readonly keywords: ReadonlyMap<string, Keyword> },
    faults: FaultList,
  ) {
    this.required = parts.required;
    this.#keywords = parts.keywords;
    this.#faults = faults;
  }

  has(keyword: string): boolean {
    return this.#keywords.has(keyword);
  }

  value(keyword: string): JsonValue | undefined {
    return this.#keywords.get(keyword)?.value;
  }

  pointerOf(keyword: string): string {
    return pointerTo(this.pointer, this.#keywords.get(keyword)?.posted ?? keyword);
  }

  fault(keyword: string, code: string, detail: string): undefined {
    this.#faults.add(this.pointerOf(keyword), code, detail);
  }

  text(keyword: string): string | undefined {
    const value = this.value(keyword);
    if (value === undefined) return undefined;
    if (typeof value !== 'string') return this.fault(keyword, 'INVALID_TYPE', `${keyword} is a string`);
    if (isStorableText(value)) return value;
    return this.fault(keyword, 'INVALID_CHARACTER', `${keyword} holds a character that cannot be stored`);
  }

  flag(keyword: string): boolean | undefined {
    const value = this.value(keyword);
    if (value === undefined || typeof value === 'boolean') return value;
    return this.fault(keyword, 'INVALID_TYPE', `${keyword} is true or false`);
  }

  /** A whole number of at least 0. */
  count(keyword: string): number | undefined {
    const value = this.value(keyword);
    if (value === undefined) return undefined;
    const count = toInt64(value);
    if (count !== undefined && count >= 0) return Number(count);
    return this.fault(keyword, 'INVALID_TYPE', `${keyword} is a whole number of at least 0`);
  }

  integer(keyword: string): number | bigint | undefined {
    const value = this.value(keyword);
    if (value === undefined) return undefined;
    const integer = toInt64(value);
    if (integer !== undefined) return integer;
    return this.fault(keyword, 'INVALID_TYPE', `${keyword} is a 64-bit signed integer`);
  }

  number(keyword: string): number | bigint | undefined {
    const value = this.value(keyword);
    if (value === undefined || isFiniteNumber(value)) return value;
    return this.fault(keyword, 'INVALID_TYPE', `${keyword} is a number`);
  }

  /** Reports a lower bound above the upper one. */
  requireOrder(
    lower: string,
    upper: string,
    bounds: readonly [number | bigint | undefined, number | bigint | undefined],
  ) {
    const [least, most] = bounds;
    if (least !== undefined && most !== undefined && least > most) {
      this.fault(lower, 'INCONSISTENT_BOUNDS', `${lower} is above ${upper}`);
    }
  }

  /** The node as it is kept: standard spellings, in the posted order, without `required`. */
  standard(replaced: JsonObject = {}): JsonObject {
    const type = this.kind === 'reference' ? [] : [['type', this.kind] as const];
    const posted = [...this.#keywords].map(([keyword, { value }]) => [keyword, value] as const);
    return { ...Object.fromEntries([...type, ...posted]), ...replaced };
  }
}

/** The kind of a node, with the properties that its spelling implies. */
const readKind = (
  node: JsonObject,
  pointer: string,
  faults: FaultList,
): { kind: SchemaKind; implied: Readonly<Record<string, Keyword>>; consumed: readonly string[] } | undefined => {
  if (Object.hasOwn(node, '$ref')) return { kind: 'reference', implied: {}, consumed: [] };
  const posted = Object.hasOwn(node, 'type') ? node['type'] : undefined;
  if (posted === undefined) {
    if (Object.hasOwn(node, 'properties')) return { kind: 'object', implied: {}, consumed: [] };
    faults.add(pointer, 'TYPE_REQUIRED', 'a property has a type or a $ref');
    return undefined;
  }
  const isEnum = posted === 'enum';
  const type = isEnum ? (Object.hasOwn(node, 'enumType') ? node['enumType'] : 'string') : posted;
  const spelling = typeof type === 'string' ? typeSpellings.get(type) : undefined;
  const typePointer = pointerTo(pointer, isEnum && Object.hasOwn(node, 'enumType') ? 'enumType' : 'type');
  if (spelling === undefined) {
    faults.add(
      typePointer,
      'UNKNOWN_TYPE',
      `${shownValue(type)} is not a type; a type is one of ${[...typeSpellings.keys()].join(', ')}, enum`,
    );
    return undefined;
  }
  if (isEnum && !hasEnum(spelling.kind)) {
    faults.add(typePointer, 'UNKNOWN_TYPE', `values of type ${spelling.kind} cannot be listed`);
    return undefined;
  }
  const format: Readonly<Record<string, Keyword>> =
    spelling.format === undefined ? {} : { format: { posted: 'type', value: spelling.format } };
  if (!isEnum) return { kind: spelling.kind, implied: format, consumed: ['type'] };
  const data = Object.hasOwn(node, 'data') ? node['data'] : undefined;
  if (data === undefined) {
    faults.add(pointer, 'ENUM_DATA_REQUIRED', 'type enum lists its values under data');
    return undefined;
  }
  return {
    kind: spelling.kind,
    implied: { ...format, enum: { posted: 'data', value: data } },
    consumed: ['type', 'enumType', 'data'],
  };
};

/** Opens a property's schema: finds its kind and reports keywords that the kind does not have. */
export const openSchemaNode = (node: JsonValue, pointer: string, faults: FaultList): SchemaNode | undefined => {
  if (!isJsonObject(node)) {
    faults.add(pointer, 'INVALID_TYPE', 'a property is described by an object');
    return undefined;
  }
  const read = readKind(node, pointer, faults);
  if (read === undefined) return undefined;
  const { kind, implied, consumed } = read;
  const keywords = new Map<string, Keyword>(Object.entries(implied));
  let required: boolean | undefined;
  for (const [posted, value] of Object.entries(node)) {
    if (faults.isFull) break;
    if (consumed.includes(posted) || value === undefined) continue;
    if (posted === 'required' && kind !== 'reference' && typeof value === 'boolean') {
      required = value;
      continue;
    }
    const keyword = posted === 'required' && kind === 'object' ? posted : standardKeyword(kind, posted);
    const earlier = keyword === undefined ? undefined : keywords.get(keyword);
    if (keyword === undefined) {
      const detail = `${kind === 'reference' ? 'a cross-reference' : `type ${kind}`} does not have the keyword ${posted}`;
      faults.add(pointerTo(pointer, posted), 'UNKNOWN_KEYWORD', detail);
    } else if (earlier !== undefined && earlier.value !== value) {
      faults.add(pointerTo(pointer, posted), 'CONFLICTING_KEYWORDS', `${posted} contradicts ${earlier.posted}`);
    } else {
      keywords.set(keyword, { posted, value });
    }
  }
  return new SchemaNode(kind, pointer, { required, keywords }, faults);
};
