import type { Reference } from '@fds/model-schema';

/** Scalar of a property in GraphQL (docs/reference/graphql.md#record-types). */
export type RecordScalar = 'String' | 'Long' | 'Float' | 'Boolean' | 'DateTime';

/** The members of every field. */
export interface FieldBase {
  /** Name of the field. */
  readonly graphqlName: string;
  /** Name of the property in the record's JSON. */
  readonly propertyName: string;
  /** Dotted path of the property from the top of the model. */
  readonly path: string;
  readonly description?: string;
}

export interface ScalarField extends FieldBase {
  readonly kind: 'scalar';
  readonly scalar: RecordScalar;
  /** Name of the definition's enum that the values of the field are of; undefined: they are of the scalar. */
  readonly enumName?: string;
}

/** An object, or a list of objects. */
export interface NestedField extends FieldBase {
  readonly kind: 'nested';
  /** One of the definition's nested types. */
  readonly typeName: string;
  readonly list: boolean;
}

/** A cross-reference. It takes a `query` argument and is left out while its target is unknown. */
export interface ReferenceField extends FieldBase {
  readonly kind: 'reference';
  /** Record type of the target. */
  readonly typeName: string;
  readonly list: boolean;
  readonly reference: Reference;
}

export type RecordField = ScalarField | NestedField | ReferenceField;

/** An object nested in records: `dr_<domain>_<n>__<path>`. */
export interface NestedTypeDefinition {
  readonly typeName: string;
  readonly fields: readonly RecordField[];
}

/** The values that a model lists for a property: `dr_<domain>_<n>__<path>`. */
export interface EnumDefinition {
  readonly typeName: string;
  readonly values: readonly string[];
}

/** The GraphQL types of one domain version's records, as plain data that JSON can carry. */
export interface RecordTypeDefinition {
  /** `dr_<domain>_<n>`; the query field has the same name. */
  readonly typeName: string;
  readonly pageTypeName: string;
  readonly domainName: string;
  readonly domainUuid: string;
  readonly versionNumber: number;
  readonly domainVersionUuid: string;
  readonly domainType: DomainType;
  /** Fields for the top-level properties. `_dr` is added to them. */
  readonly fields: readonly RecordField[];
  readonly nestedTypes: readonly NestedTypeDefinition[];
  readonly enums: readonly EnumDefinition[];
}

export type DomainType = 'FEDERATED' | 'SERVICE_DATA_STORE';
