import type { RequestContext } from '@fds/graphql';
import { isJsonObject } from '@fds/json';
import type { GraphQLFieldResolver } from 'graphql';
import type { ChangeKind } from './record-changes.js';
import type { NestedField, RecordTypeDefinition, ReferenceField, ScalarField } from './record-type-definition.js';

export type RecordFieldResolver = GraphQLFieldResolver<unknown, RequestContext>;

/**
 * How the fields of record types are answered. Each function is called once per field when its type is built; the
 * returned function is called per value. The rows of a page are whatever `page` answers: the source of the record's own
 * fields (`field.path` without a dot). The source of a nested object's fields is what its `property` resolver answered.
 */
export interface RecordTypeResolvers {
  /**
   * The query field: answers `{data, page}`. It may answer `properties` too: rows in the place of those of `data`, for a
   * selection of nothing but properties. Their only readers are the resolvers of `property`.
   */
  page(definition: RecordTypeDefinition): RecordFieldResolver;
  /** `_dr` of a row. */
  metadata(definition: RecordTypeDefinition): RecordFieldResolver;
  /** A scalar, an object or a list of objects. */
  property(definition: RecordTypeDefinition, field: ScalarField | NestedField): RecordFieldResolver;
  /** A cross-reference: a row of the target, a scalar of it, or a list of these. */
  reference(definition: RecordTypeDefinition, field: ReferenceField): RecordFieldResolver;
  /** A mutation. Its `input` has the names of the type: see `readRecordInput`. */
  change(definition: RecordTypeDefinition, kind: ChangeKind): RecordFieldResolver;
}

/** Reads a property from a source that is the plain JSON object; null where it has none. */
export const readOwnProperty =
  (propertyName: string): RecordFieldResolver =>
  (source) =>
    isJsonObject(source) && Object.hasOwn(source, propertyName) ? source[propertyName] : null;
