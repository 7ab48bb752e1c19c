export { catalogueProperties, type CatalogueProperty } from './catalogue-properties.js';
export { compareModels, type ModelComparison } from './compare-models.js';
export { compileModelSchema, type ModelSchemaCompilation, type ModelSchemaInput } from './compile-model-schema.js';
export type { CompiledModel, RecordValidation, SearchableProperty } from './compiled-model.js';
export {
  graphqlDomainName,
  graphqlPropertyName,
  isDomainName,
  nestedTypeName,
  pageTypeName,
  recordTypeName,
} from './names/graphql-names.js';
export { keyPropertiesOf } from './key-properties.js';
export {
  nestedProperties,
  referenceOf,
  type ArrayProperty,
  type ModelProperty,
  type ObjectProperty,
  type Reference,
  type ReferenceProperty,
  type ScalarProperty,
  type ScalarType,
} from './model-property.js';
export { formatReference } from './schema/parse-reference.js';
export { preparePatterns } from './schema/prepare-patterns.js';
export { propertyPointer } from './property-pointer.js';
export { referencesOf, type LocatedReference } from './references-of.js';
export { mapReferences, referencesIn, type PresentReference, type OpenReference } from './references/map-references.js';
export { readReference, toStoredReference, type OneTarget, type ReferenceTarget } from './references/read-reference.js';
export { canonicalDecimal } from './record/formats/decimal.js';
export { referenceTreeOf, type ReferenceBranches } from './references/reference-tree.js';
