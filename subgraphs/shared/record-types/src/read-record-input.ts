import { AppError } from '@fds/errors';
import type { JsonObject, JsonValue } from '@fds/json';
import type { RecordField, RecordTypeDefinition } from './record-type-definition.js';

type Input = Readonly<Record<string, unknown>>;

/** The ways to name a record, each with the value that the record's JSON has for it. */
const referenceForms: Readonly<Record<string, (given: JsonValue) => JsonValue>> = {
  uuid: (uuid) => ({ $ref: `/drs/${uuid as string}` }),
  ref: (ref) => ({ $ref: ref }),
  drKey: (drKey) => drKey,
};

const readReference = (input: Input, pointer: string): JsonValue => {
  const [form, another] = Object.keys(input).filter((name) => input[name] !== null);
  const toValue = form === undefined || another !== undefined ? undefined : referenceForms[form];
  if (form === undefined || toValue === undefined) {
    throw new AppError('VALIDATION_FAILED', 'the input is not valid', {
      errors: [{ pointer, code: 'INVALID_VALUE', detail: 'a reference has one of uuid, ref and drKey' }],
    });
  }
  return toValue(input[form] as JsonValue);
};

/**
 * The JSON of a record from its typed input: names as the model has them, absent fields absent, null as null.
 *
 * @throws AppError VALIDATION_FAILED where a reference is not stated in one way, with a pointer from the top of the input
 */
export const readRecordInput = ({ fields, nestedTypes }: RecordTypeDefinition, input: unknown): JsonObject => {
  const readValue = (field: RecordField, value: unknown, pointer: string): JsonValue => {
    if (value === null) return null;
    if (Array.isArray(value)) return value.map((item, index) => readValue(field, item, `${pointer}/${index}`));
    if (field.kind === 'scalar') return value as JsonValue;
    if (field.kind === 'reference') return readReference(value as Input, pointer);
    const nested = nestedTypes.find(({ typeName }) => typeName === field.typeName);
    return readObject(nested?.fields ?? [], value as Input, pointer);
  };
  const readObject = (members: readonly RecordField[], object: Input, pointer: string): JsonObject =>
    Object.fromEntries(
      members.flatMap((field) => {
        const value = object[field.graphqlName];
        if (value === undefined) return [];
        return [[field.propertyName, readValue(field, value, `${pointer}/${field.propertyName}`)]];
      }),
    );
  return readObject(fields, input as Input, '');
};
