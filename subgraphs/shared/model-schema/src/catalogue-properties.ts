import { nestedProperties, referenceOf, type ModelProperty } from './model-property.js';
import { formatReference } from './schema/parse-reference.js';

/** A property as the catalogue lists it (docs/reference/model-schema.md#versions). */
export interface CatalogueProperty {
  /** Dotted path. */
  readonly name: string;
  readonly type: ModelProperty['type'];
  readonly format?: string;
  readonly required: boolean;
  readonly drKey: boolean;
  readonly description?: string;
  /** `/domains/<domain>:v<version>[/<property>]`, of a reference or an array of references. */
  readonly reference?: string;
}

const entryOf = (property: ModelProperty): CatalogueProperty => {
  const reference = referenceOf(property);
  return {
    name: property.path,
    type: property.type,
    ...('format' in property && property.format !== undefined ? { format: property.format } : {}),
    required: property.required,
    drKey: 'drKey' in property && property.drKey,
    ...(property.description === undefined ? {} : { description: property.description }),
    ...(reference === undefined ? {} : { reference: formatReference(reference) }),
  };
};

/** Every property of a model, depth first in the order of the schema: a container comes before its members. */
export const catalogueProperties = (model: {
  readonly properties: readonly ModelProperty[];
}): readonly CatalogueProperty[] => {
  const list = (properties: readonly ModelProperty[]): readonly CatalogueProperty[] =>
    properties.flatMap((property) => [entryOf(property), ...list(nestedProperties(property))]);
  return list(model.properties);
};
