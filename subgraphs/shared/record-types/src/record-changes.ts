import type { RecordField, RecordTypeDefinition } from './record-type-definition.js';

/** The kinds of mutations of a record type. */
export type ChangeKind = 'create' | 'update' | 'delete';

/** An argument of a mutation, or a field of an input type. `type` is as SDL writes it. */
export interface TypedName {
  readonly name: string;
  readonly type: string;
  readonly description?: string;
}

/** A mutation of a record type. */
export interface ChangeField {
  readonly kind: ChangeKind;
  readonly name: string;
  readonly args: readonly TypedName[];
  readonly type: string;
  readonly description: string;
}

/** An input type: of a record, or of an object nested in it. */
export interface InputDefinition {
  readonly typeName: string;
  readonly fields: readonly TypedName[];
}

const changeName = /^(?:create|update|delete)_(dr_.+)$/;
const inputPrefix = 'input_';

/** The record type that a mutation of this name changes; undefined for other names. */
export const changedRecordType = (field: string): string | undefined => changeName.exec(field)?.[1];

/** The type whose values an input type of this name holds; undefined for other names. */
export const typeOfInput = (name: string): string | undefined =>
  name.startsWith(inputPrefix) ? name.slice(inputPrefix.length) : undefined;

const inputName = (typeName: string): string => `${inputPrefix}${typeName}`;

const asList = (type: string, list: boolean): string => (list ? `[${type}]` : type);

const inputTypeOf = (field: RecordField): string => {
  if (field.kind === 'reference') return asList('RecordReferenceInput', field.list);
  if (field.kind === 'nested') return asList(inputName(field.typeName), field.list);
  // kept as it was written: a DateTime would lose its zone
  return field.enumName ?? (field.scalar === 'DateTime' ? 'String' : field.scalar);
};

const inputFields = (fields: readonly RecordField[]): readonly TypedName[] =>
  fields.map((field) => ({
    name: field.graphqlName,
    type: inputTypeOf(field),
    ...(field.description === undefined ? {} : { description: field.description }),
  }));

/** The input types of a record type. No field is required: the model decides, with an error that names every cause. */
export const inputDefinitions = ({ typeName, fields, nestedTypes }: RecordTypeDefinition): readonly InputDefinition[] =>
  [{ typeName, fields }, ...nestedTypes].map((each) => ({
    typeName: inputName(each.typeName),
    fields: inputFields(each.fields),
  }));

const record: TypedName = { name: 'drUuid', type: 'Uuid!' };
const startingFrom: TypedName = {
  name: 'changeVersion',
  type: 'Long',
  description: 'Refuses the change of another version of the record.',
};
const deletionArguments: readonly TypedName[] = [
  { name: 'adaptorUuids', type: '[Uuid!]', description: 'Delete at these adaptors only.' },
  { name: 'zoneUuid', type: 'Uuid', description: 'The zone that the caller acts for.' },
];

/** The mutations of a record type. The data of a federated record is at its sources: it is not updated here. */
export const changeFields = (definition: RecordTypeDefinition): readonly ChangeField[] => {
  const { typeName, domainName, versionNumber, domainType } = definition;
  const subject = `${domainName}, version ${versionNumber}`;
  const input: TypedName = { name: 'input', type: `${inputName(typeName)}!` };
  const isFederated = domainType === 'FEDERATED';
  const create: ChangeField = {
    kind: 'create',
    name: `create_${typeName}`,
    args: [input],
    type: 'DataRecord!',
    description: isFederated
      ? `Adds the catalogue entry of a record of ${subject}: its DR Key, without data.`
      : `Adds a record of ${subject}.`,
  };
  const update: ChangeField = {
    kind: 'update',
    name: `update_${typeName}`,
    args: [record, input, startingFrom],
    type: 'DataRecord!',
    description: `Changes a record of ${subject}: a field that is absent stays, null removes its value.`,
  };
  const remove: ChangeField = {
    kind: 'delete',
    name: `delete_${typeName}`,
    args: [record, ...(isFederated ? deletionArguments : []), startingFrom],
    type: 'DataRecordDeletion!',
    description: isFederated ? `Deletes a record of ${subject} at its adaptors.` : `Removes a record of ${subject}.`,
  };
  return isFederated ? [create, remove] : [create, update, remove];
};
