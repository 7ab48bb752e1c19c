import { shownValue } from '../shown-value.js';
import { type JsonValue, pointerTo } from '@fds/json';
import { acceptBoolean, acceptInteger, acceptNumber, acceptString } from '../record/accept-scalar.js';
import type { Accept } from '../record/accept.js';
import { FaultList } from '@fds/errors';
import { compileLinearPattern, type LinearPattern } from './linear-pattern.js';
import type { ScalarType } from '../model-property.js';
import type { SchemaNode } from './schema-node.js';
import { formatNames, isFormatName, validatedFormat } from '../record/string-formats.js';

/** The content of a scalar's schema. */
export interface ReadScalar {
  readonly accept: Accept;
  readonly format?: string;
  /** The values of `enum`, of strings, each once. */
  readonly values?: readonly string[];
  /** Fits the type. */
  readonly defaultValue?: JsonValue;
}

/** Each value is matched against the pattern whenever the model is read. */
const maxEnumValues = 10_000;

/** The values of `enum`, each validated against the type. */
const readEnum = (node: SchemaNode, accept: Accept, faults: FaultList): readonly JsonValue[] | undefined => {
  const values = node.value('enum');
  if (values === undefined) return undefined;
  if (!Array.isArray(values) || values.length === 0) {
    return node.fault('enum', 'INVALID_TYPE', 'enum is a list of at least one value');
  }
  if (values.length > maxEnumValues) {
    const detail = `enum has at most ${maxEnumValues} values; a longer list is a separate domain that a reference leads to`;
    return node.fault('enum', 'OUT_OF_RANGE', detail);
  }
  const list = values as readonly JsonValue[];
  const pointer = node.pointerOf('enum');
  const kept: JsonValue[] = [];
  for (const [index, value] of list.entries()) {
    const own = new FaultList();
    kept.push(accept(value, '', own));
    if (!own.isEmpty) {
      const detail = `${shownValue(value)} is not a value of type ${node.kind}`;
      faults.add(pointerTo(pointer, index), 'INVALID_ENUM_VALUE', detail);
    }
    if (faults.isFull) break;
  }
  return kept;
};

const textValues = (values: readonly JsonValue[] | undefined): Pick<ReadScalar, 'values'> =>
  values?.every((value) => typeof value === 'string') === true ? { values: [...new Set(values)] } : {};

const acceptEnum = (accept: Accept, values: readonly JsonValue[]): Accept => {
  const allowed = new Set(values);
  return (value, pointer, faults) => {
    const accepted = accept(value, pointer, faults);
    if (!allowed.has(accepted)) faults.add(pointer, 'NOT_IN_ENUM', 'the value is none of those listed in the model');
    return accepted;
  };
};

const readPattern = (node: SchemaNode): LinearPattern | undefined => {
  const source = node.text('pattern');
  if (source === undefined) return undefined;
  const pattern = compileLinearPattern(source);
  return 'fault' in pattern ? node.fault('pattern', 'INVALID_PATTERN', pattern.fault) : pattern;
};

const readFormat = (node: SchemaNode): string | undefined => {
  const format = node.text('format');
  if (format === undefined || isFormatName(format)) return format;
  return node.fault(
    'format',
    'UNKNOWN_FORMAT',
    `${shownValue(format)} is not a format; a format is one of ${formatNames.join(', ')}`,
  );
};

const readString = (node: SchemaNode): { readonly accept: Accept; readonly format?: string } => {
  const [minLength, maxLength] = [node.count('minLength'), node.count('maxLength')];
  node.requireOrder('minLength', 'maxLength', [minLength, maxLength]);
  const format = readFormat(node);
  const accept = acceptString({
    minLength: minLength ?? 0,
    maxLength: maxLength ?? Number.POSITIVE_INFINITY,
    pattern: readPattern(node),
    format: format === undefined ? undefined : validatedFormat(format),
  });
  return format === undefined ? { accept } : { accept, format };
};

const readBounds = (
  node: SchemaNode,
): { minimum: number | bigint | undefined; maximum: number | bigint | undefined } => {
  const read = (keyword: string) => (node.kind === 'integer' ? node.integer(keyword) : node.number(keyword));
  const [minimum, maximum] = [read('minimum'), read('maximum')];
  node.requireOrder('minimum', 'maximum', [minimum, maximum]);
  return { minimum, maximum };
};

type ReadType = (node: SchemaNode) => { readonly accept: Accept; readonly format?: string };

const readType: Readonly<Record<ScalarType, ReadType>> = {
  string: readString,
  integer: (node) => ({ accept: acceptInteger(readBounds(node)) }),
  number: (node) => ({ accept: acceptNumber(readBounds(node)) }),
  boolean: () => ({ accept: acceptBoolean }),
};

/** Reads the schema of a scalar property; reports what is wrong with it. */
export const readScalar = (type: ScalarType, node: SchemaNode, faults: FaultList): ReadScalar => {
  const before = faults.causes.length;
  const read = readType[type](node);
  const values = readEnum(node, read.accept, faults);
  const accept = values === undefined ? read.accept : acceptEnum(read.accept, values);
  const posted = node.value('default');
  const scalar = { ...read, accept, ...textValues(values) };
  if (posted === undefined) return scalar;
  const own = new FaultList();
  const defaultValue = posted === null ? null : accept(posted, '', own);
  const misfit = posted === null ? 'null is not a value' : own.causes[0]?.detail;
  // a default cannot be validated against broken constraints
  if (misfit !== undefined && faults.causes.length === before) node.fault('default', 'INVALID_DEFAULT', misfit);
  return { ...scalar, defaultValue };
};
