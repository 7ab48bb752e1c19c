import { AppError } from '@fds/errors';
import type { RequestContext } from '@fds/graphql';
import { isJsonObject, parseJson, type JsonObject, type JsonValue } from '@fds/json';
import type { RecordFieldResolver, RecordTypeDefinition, ReferenceField } from '@fds/record-types';
import { maxLinks, readReferenceLinks, requestLinks, type ReferenceLinks } from '@fds/references';
import type { DomainVersionView } from '../../../domain/catalog.js';
import { readOrder } from '../../../reading/listing/resolvers/key-properties.js';
import type { RecordsAccess } from '../../../reading/listing/resolvers/list-data-records.js';
import { createLinkedRows, type LinkedRowsAccess } from '../../../reading/listing/resolvers/linked-rows.js';
import { NestedValue } from '../../../reading/listing/resolvers/nested-value.js';
import { perRequest } from '../../../base/per-request.js';
import type { FollowedReferences, RecordRow } from '../../../reading/listing/resolvers/record-row.js';

interface ReferenceArguments {
  readonly query?: string | null;
  readonly sort?: string | null;
  readonly limit?: number | null;
}

const requireLimit = (limit: number | null | undefined): { readonly limit?: number } => {
  if (limit === null || limit === undefined) return {};
  if (limit >= 0 && limit <= maxLinks) return { limit };
  throw new AppError('INVALID_PARAMETER', 'limit is out of range', {
    errors: [{ pointer: 'limit', code: 'OUT_OF_RANGE', detail: `limit must be from 0 to ${maxLinks}` }],
  });
};

/** The lower one of both limits. A limit out of range stays, so that it is refused. */
const lowerLimit = (limit: number | null | undefined, maxSize: number): number => {
  if (limit === null || limit === undefined) return maxSize;
  return limit > maxLinks ? limit : Math.min(limit, maxSize);
};

/** The record that a reference stands in, and the object that has it. */
const holderOf = (source: unknown): { readonly row: RecordRow; readonly holder: JsonObject } => {
  if (source instanceof NestedValue) return { row: source.row, holder: source.value };
  const row = source as RecordRow;
  return { row, holder: row.data };
};

const topOf = (path: string): string => path.split('.', 1)[0] ?? path;

const keyOf = ({ drKey }: RecordRow): JsonObject => {
  const key = parseJson(drKey);
  return isJsonObject(key) ? key : {};
};

/** Reads the property that a reference yields, in the target's spelling. */
const readYield = (property: string, { model }: DomainVersionView): ((row: RecordRow) => JsonValue) => {
  const folded = property.toLowerCase();
  const name = model.properties.find((each) => each.name.toLowerCase() === folded)?.name ?? property;
  return ({ data }) => (Object.hasOwn(data, name) ? (data[name] ?? null) : null);
};

/**
 * Resolves the cross-references of record types: all records of a level in one statement, those of federated targets
 * then assembled in one request for each version.
 */
export const createReferenceResolver = (access: RecordsAccess & LinkedRowsAccess) => {
  const linkedRows = createLinkedRows(access);
  /** The links of a selection are read once for all records of an answer. */
  const known = perRequest(() => new Map<string, ReferenceLinks | AppError>());

  const readLinks = (
    definition: RecordTypeDefinition,
    { reference, list }: ReferenceField,
    target: DomainVersionView,
    args: ReferenceArguments,
  ): ReferenceLinks | AppError => {
    const parent = access.view().catalog.versionByUuid(definition.domainVersionUuid);
    if (parent === undefined) return new AppError('NOT_FOUND', 'the domain version is gone');
    try {
      return readReferenceLinks(reference, parent, target, {
        ...(args.query === null || args.query === undefined ? {} : { query: args.query }),
        order: readOrder(target, args.sort).map((term) => ({ ...term, from: 'KEY' })),
        ...(list ? requireLimit(args.limit) : { limit: 1 }),
      });
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  };

  return (definition: RecordTypeDefinition, field: ReferenceField): RecordFieldResolver => {
    const { reference, list, propertyName } = field;
    const at = `${definition.typeName} ${field.path}`;

    const requireLinks = (
      target: DomainVersionView,
      given: ReferenceArguments,
      { maxSize }: FollowedReferences,
      context: RequestContext,
    ) => {
      const args = list && maxSize !== undefined ? { ...given, limit: lowerLimit(given.limit, maxSize) } : given;
      const { query, sort, limit } = args;
      const key = `${at} ${limit ?? ''} ${JSON.stringify([query ?? null, sort ?? null])}`;
      const read = known(context).get(key) ?? readLinks(definition, field, target, args);
      known(context).set(key, read);
      if (read instanceof AppError) throw read;
      return read;
    };

    return async (source, args: ReferenceArguments, context) => {
      const target = access.view().catalog.version(reference.domain, reference.version);
      if (target === undefined) return list ? [] : null;
      const { row, holder } = holderOf(source);
      const { references } = row.options;
      const links = requireLinks(target, args, references, context);
      if (references.levels < 1) return list ? [] : null;
      // hidden references are not followed
      if (row.visible !== undefined && !row.visible.names.has(topOf(field.path))) return list ? [] : null;
      const value = Object.hasOwn(holder, propertyName) ? holder[propertyName] : undefined;
      const request = requestLinks(links, { value, drKey: () => keyOf(row) });
      const rows = request === undefined ? [] : await linkedRows(request, row.options, context);
      const { property } = reference;
      const results = property === undefined ? rows : rows.map(readYield(property, target));
      return list ? results.filter((result) => result !== null) : (results[0] ?? null);
    };
  };
};
