import { recordDescription, pageDescription } from './descriptions.js';
import { queryArguments, referenceArguments, type FieldArgument } from './query-arguments.js';
import type { RecordField, RecordTypeDefinition } from './record-type-definition.js';
import { visibleFields, type FieldType, type RecordTypeScope } from './visible-fields.js';

/** Directives put on what is written, each with its arguments; empty for plain SDL. */
export interface SdlDecoration {
  /** On every type, for example `@join__type(graph: RECORDS)`. */
  readonly type: string;
  /** On every query field, for example `@join__field(graph: RECORDS)`. */
  readonly queryField: string;
}

/** SDL of record types. */
export interface RecordTypesSdl {
  /** Type definitions. */
  readonly types: string;
  /** Fields for the body of `type Query`. */
  readonly queryFields: string;
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
  ].join('\n');
};

/**
 * Writes some record types as SDL, for a supergraph pruned to what an operation touches. Fields that lead to others are
 * left out.
 */
export const recordTypesSdl = (
  definitions: readonly RecordTypeDefinition[],
  decoration: SdlDecoration,
): RecordTypesSdl => {
  const byName = new Map(definitions.map((definition) => [definition.typeName.toLowerCase(), definition]));
  const scope: RecordTypeScope = { find: (typeName) => byName.get(typeName.toLowerCase()) };
  return {
    types: definitions.map((definition) => writeDefinition(definition, scope, decoration)).join('\n'),
    queryFields: definitions
      .map((definition) => {
        const args = writeArguments(queryArguments(definition.domainType));
        const field = `  ${definition.typeName}${args}: ${definition.pageTypeName}${decorated(decoration.queryField)}\n`;
        return describe(pageDescription(definition), '  ') + field;
      })
      .join(''),
  };
};
