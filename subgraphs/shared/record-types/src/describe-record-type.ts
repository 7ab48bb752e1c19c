import {
  graphqlPropertyName,
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
  NestedTypeDefinition,
  RecordField,
  RecordScalar,
  RecordTypeDefinition,
} from './record-type-definition.js';

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

/** Describes the types of a version's records. Pure: the same version gives the same definition everywhere. */
export const describeRecordType = (version: DescribedVersion): RecordTypeDefinition => {
  const typeName = recordTypeName(version.domainName, version.versionNumber);
  const nestedTypes: NestedTypeDefinition[] = [];

  const describeNested = (path: string, properties: readonly ModelProperty[]): string => {
    const nested = nestedTypeName(typeName, path);
    nestedTypes.push({ typeName: nested, fields: properties.map(describeField) });
    return nested;
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
        return { ...base, kind: 'scalar', scalar: scalarOf(property) };
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
  };
};
