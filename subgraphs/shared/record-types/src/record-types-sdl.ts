import { recordDescription, pageDescription } from './descriptions.js';
import { queryArguments, referenceArguments, type FieldArgument } from './query-arguments.js';
import type { RecordTypeUse } from './build-schema.js';
import { changeFields, inputDefinitions, type InputDefinition, type TypedName } from './record-changes.js';
import type { EnumDefinition, RecordField, RecordTypeDefinition } from './record-type-definition.js';
import { visibleFields, type FieldType, type RecordTypeScope } from './visible-fields.js';

/** Directives added to the SDL, each with its arguments; empty for plain SDL. */
export interface SdlDecoration {
  /** On every type, for example `@join__type(graph: RECORDS)`. */
  readonly type: string;
  /** On every value of an enum, for example `@join__enumValue(graph: RECORDS)`. */
  readonly enumValue: string;
  /** On every query field and mutation, for example `@join__field(graph: RECORDS)`. */
  readonly rootField: string;
}

/** SDL of record types. */
export interface RecordTypesSdl {
  /** Type definitions. */
  readonly types: string;
  /** Fields for the body of `type Query`. */
  readonly queryFields: string;
  /** Fields for the body of `type Mutation`; empty where records are only read. */
  readonly mutationFields: string;
}

const describe = (description: string | undefined, indent: string): string =>
  // a JSON string is a GraphQL string; block strings would fold blanks
  description === undefined ? '' : `${indent}${JSON.stringify(description)}\n`;

const decorated = (decoration: string): string => (decoration === '' ? '' : ` ${decoration}`);

const writeType = ({ name, list }: FieldType): string => {
  if (list === 'no') return name;
  return list === 'of-nullable' ? `[${name}]` : `[${name}!]`;
};

const writeArguments = (list: readonly FieldArgument[]): string => {
  const written = list.map(({ name, type, list: many, defaultValue, description }) => {
    const fallback = defaultValue === undefined ? '' : ` = ${defaultValue}`;
    return `${JSON.stringify(description)} ${name}: ${many ? `[${type}]` : type}${fallback}`;
  });
  return `(${written.join(' ')})`;
};

const writeObject = (
  typeName: string,
  fields: readonly string[],
  decoration: SdlDecoration,
  description?: string,
): string => `${describe(description, '')}type ${typeName}${decorated(decoration.type)} {\n${fields.join('\n')}\n}\n`;

const writeEnum = ({ typeName, values }: EnumDefinition, { type, enumValue }: SdlDecoration): string =>
  `enum ${typeName}${decorated(type)} {\n${values.map((value) => `  ${value}${decorated(enumValue)}`).join('\n')}\n}\n`;

const writeTyped = ({ name, type, description }: TypedName): string =>
  `${description === undefined ? '' : `${JSON.stringify(description)} `}${name}: ${type}`;

const writeInput = ({ typeName, fields }: InputDefinition, { type }: SdlDecoration): string =>
  `input ${typeName}${decorated(type)} {\n${fields.map((field) => `  ${writeTyped(field)}`).join('\n')}\n}\n`;

const writeChanges = (definition: RecordTypeDefinition, { rootField }: SdlDecoration): string =>
  changeFields(definition)
    .map(({ name, args, type, description }) => {
      const written = `  ${name}(${args.map(writeTyped).join(' ')}): ${type}${decorated(rootField)}\n`;
      return describe(description, '  ') + written;
    })
    .join('');

const writeDefinition = (
  definition: RecordTypeDefinition,
  scope: RecordTypeScope,
  decoration: SdlDecoration,
): string => {
  const writeFields = (fields: readonly RecordField[]): readonly string[] =>
    visibleFields(definition, fields, scope).map(({ field, type }) => {
      const args = field.kind === 'reference' ? writeArguments(referenceArguments(field)) : '';
      return `${describe(field.description, '  ')}  ${field.graphqlName}${args}: ${writeType(type)}`;
    });
  const nested = definition.nestedTypes
    .map(({ typeName, fields }) => ({ typeName, fields: writeFields(fields) }))
    .filter(({ fields }) => fields.length > 0)
    .map(({ typeName, fields }) => writeObject(typeName, fields, decoration));
  const own = ['  _dr: RecordMetadata', ...writeFields(definition.fields)];
  return [
    writeObject(definition.typeName, own, decoration, recordDescription(definition)),
    writeObject(definition.pageTypeName, [`  data: [${definition.typeName}!]!`, '  page: Page!'], decoration),
    ...nested,
    ...definition.enums.map((each) => writeEnum(each, decoration)),
  ].join('\n');
};

/**
 * Writes some record types as SDL, for a supergraph pruned to the types that an operation uses. Fields that lead to
 * others are left out.
 */
export const recordTypesSdl = (
  definitions: readonly RecordTypeDefinition[],
  use: RecordTypeUse,
  decoration: SdlDecoration,
): RecordTypesSdl => {
  const byName = new Map(definitions.map((definition) => [definition.typeName.toLowerCase(), definition]));
  const scope: RecordTypeScope = { find: (typeName) => byName.get(typeName.toLowerCase()) };
  return {
    types: definitions
      .flatMap((definition) => [
        writeDefinition(definition, scope, decoration),
        ...(use === 'CHANGE' ? inputDefinitions(definition).map((input) => writeInput(input, decoration)) : []),
      ])
      .join('\n'),
    mutationFields: use === 'READ' ? '' : definitions.map((each) => writeChanges(each, decoration)).join(''),
    queryFields: definitions
      .map((definition) => {
        const args = writeArguments(queryArguments(definition.domainType));
        const field = `  ${definition.typeName}${args}: ${definition.pageTypeName}${decorated(decoration.rootField)}\n`;
        return describe(pageDescription(definition), '  ') + field;
      })
      .join(''),
  };
};
