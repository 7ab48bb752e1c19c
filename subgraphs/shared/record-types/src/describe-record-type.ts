import {
  graphqlPropertyName,
  nestedProperties,
  nestedTypeName,
  pageTypeName,
  recordTypeName,
  type ModelProperty,
  type Reference,
  type ScalarProperty,
  type ScalarType,
} from '@fds/model-schema';
import type {
  DomainType,
  EnumDefinition,
  FieldBase,
  NestedTypeDefinition,
  RecordField,
  RecordScalar,
  RecordTypeDefinition,
} from './record-type-definition.js';

const legalName = /^(?!__)[A-Za-z_][0-9A-Za-z_]*$/;

/** GraphQL gives these names other meanings (specification, section 3.9). */
const reserved: ReadonlySet<string> = new Set(['true', 'false', 'null']);

/** A longer list stays text: every schema that has the type holds all its values. */
const maxValues = 1000;

/** Can the values be those of a GraphQL enum? */
const isGraphqlEnum = (values: readonly string[]): boolean =>
  values.length <= maxValues && values.every((value) => legalName.test(value) && !reserved.has(value));

/** A domain version, as far as its record types depend on it. */
export interface DescribedVersion {
  readonly domainName: string;
  readonly domainUuid: string;
  readonly versionNumber: number;
  readonly domainVersionUuid: string;
  readonly domainType: DomainType;
  readonly model: { readonly properties: readonly ModelProperty[] };
}

const scalars: Readonly<Record<ScalarType, RecordScalar>> = {
  string: 'String',
  integer: 'Long',
  number: 'Float',
  boolean: 'Boolean',
};

const scalarOf = ({ type, format }: ScalarProperty): RecordScalar =>
  format === 'date-time' ? 'DateTime' : scalars[type];

/** Takes every path of a container in a model. */
const nestedTypeNames = (typeName: string, properties: readonly ModelProperty[]): readonly string[] =>
  properties.flatMap((property) => {
    const below = nestedProperties(property);
    return below.length === 0 ? [] : [nestedTypeName(typeName, property.path), ...nestedTypeNames(typeName, below)];
  });

/** Describes the types of a version's records. Pure: the same version gives the same definition everywhere. */
export const describeRecordType = (version: DescribedVersion): RecordTypeDefinition => {
  const typeName = recordTypeName(version.domainName, version.versionNumber);
  const nestedTypes: NestedTypeDefinition[] = [];
  const enums: EnumDefinition[] = [];
  const taken = new Set(nestedTypeNames(typeName, version.model.properties));

  /** Describes the enum of a property; undefined where GraphQL cannot name its values, or has its name already. */
  const describeEnum = ({ path, format, values }: ScalarProperty): string | undefined => {
    const enumName = nestedTypeName(typeName, path);
    if (values === undefined || format === 'date-time' || !isGraphqlEnum(values) || taken.has(enumName))
      return undefined;
    taken.add(enumName);
    enums.push({ typeName: enumName, values });
    return enumName;
  };

  const describeNested = (path: string, properties: readonly ModelProperty[]): string => {
    const nested = nestedTypeName(typeName, path);
    nestedTypes.push({ typeName: nested, fields: properties.map(describeField) });
    return nested;
  };

  const describeScalar = (base: FieldBase, property: ScalarProperty): RecordField => {
    const enumName = describeEnum(property);
    const scalar = scalarOf(property);
    return { ...base, kind: 'scalar', scalar, ...(enumName === undefined ? {} : { enumName }) };
  };

  const describeField = (property: ModelProperty): RecordField => {
    const base = {
      graphqlName: graphqlPropertyName(property.name),
      propertyName: property.name,
      path: property.path,
      ...(property.description === undefined ? {} : { description: property.description }),
    };
    const toReference = (reference: Reference, list: boolean): RecordField => ({
      ...base,
      kind: 'reference',
      typeName: recordTypeName(reference.domain, reference.version),
      list,
      reference,
    });
    switch (property.type) {
      case 'reference':
        return toReference(property.reference, property.reference.multivalued);
      case 'object':
        return {
          ...base,
          kind: 'nested',
          typeName: describeNested(property.path, property.properties),
          list: false,
        };
      case 'array':
        if ('reference' in property.items) return toReference(property.items.reference, true);
        return {
          ...base,
          kind: 'nested',
          typeName: describeNested(property.path, property.items.properties),
          list: true,
        };
      default:
        return describeScalar(base, property);
    }
  };

  const fields = version.model.properties.map(describeField);
  return {
    typeName,
    pageTypeName: pageTypeName(typeName),
    domainName: version.domainName,
    domainUuid: version.domainUuid,
    versionNumber: version.versionNumber,
    domainVersionUuid: version.domainVersionUuid,
    domainType: version.domainType,
    fields,
    nestedTypes,
    enums,
  };
};
