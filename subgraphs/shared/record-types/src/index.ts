export { describeRecordType, type DescribedVersion } from './describe-record-type.js';
export type {
  DomainType,
  NestedField,
  NestedTypeDefinition,
  RecordField,
  RecordScalar,
  RecordTypeDefinition,
  ReferenceField,
  ScalarField,
} from './record-type-definition.js';
export { readRecordInput } from './read-record-input.js';
export type { ChangeKind } from './record-changes.js';
export {
  createRecordTypeRegistry,
  type RecordTypeRegistry,
  type RecordTypeRegistryOptions,
  type RecordTypeUse,
} from './record-type-registry.js';
export { readOwnProperty, type RecordFieldResolver, type RecordTypeResolvers } from './record-type-resolvers.js';
export { recordTypesSdl, type RecordTypesSdl, type SdlDecoration } from './record-types-sdl.js';
export { UnusualValue } from './row-writer.js';
