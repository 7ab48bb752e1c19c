/** Where a cross-reference points: `/domains/<domain>:v<version>[/<property>]`, with its linking expression. */
export interface Reference {
  readonly domain: string;
  readonly version: number;
  /** The reference yields this single property. */
  readonly property?: string;
  /** Search expression that links; `${parent-field}` refers to the parent record. */
  readonly query?: string;
  readonly multivalued: boolean;
  /** Property name, leading `-` descending. */
  readonly sort?: string;
  readonly limit?: number;
}

export type ScalarType = 'string' | 'integer' | 'number' | 'boolean';

interface PropertyBase {
  readonly name: string;
  /** Dotted path from the top of the model. */
  readonly path: string;
  /** Named as required, or implicitly by a default. */
  readonly required: boolean;
  readonly description?: string;
}

export interface ScalarProperty extends PropertyBase {
  readonly type: ScalarType;
  readonly format?: string;
  /** The values of `enum`, of strings, each once. */
  readonly values?: readonly string[];
  readonly drKey: boolean;
}
export interface ObjectProperty extends PropertyBase {
  readonly type: 'object';
  readonly properties: readonly ModelProperty[];
}
export interface ArrayProperty extends PropertyBase {
  readonly type: 'array';
  /** Objects with these properties, or references. */
  readonly items: { readonly properties: readonly ModelProperty[] } | { readonly reference: Reference };
}
export interface ReferenceProperty extends PropertyBase {
  readonly type: 'reference';
  readonly reference: Reference;
}

/** A property of a compiled model. */
export type ModelProperty = ScalarProperty | ObjectProperty | ArrayProperty | ReferenceProperty;

/** The properties directly beneath a container; none beneath a scalar or a reference. */
export const nestedProperties = (property: ModelProperty): readonly ModelProperty[] => {
  if (property.type === 'object') return property.properties;
  return property.type === 'array' && 'properties' in property.items ? property.items.properties : [];
};

/** The reference of a cross-reference or of an array of them. */
export const referenceOf = (property: ModelProperty): Reference | undefined => {
  if (property.type === 'reference') return property.reference;
  return property.type === 'array' && 'reference' in property.items ? property.items.reference : undefined;
};
