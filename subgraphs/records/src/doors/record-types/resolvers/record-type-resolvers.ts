import DataLoader from 'dataloader';
import type { Assembler } from '@fds/assembly-contract';
import { restrictionOf } from '@fds/access-rules';
import {
  readOwnProperty,
  type NestedField,
  type RecordFieldResolver,
  type RecordTypeDefinition,
  type RecordTypeResolvers,
  type ScalarField,
} from '@fds/record-types';
import { isJsonObject, parseJson, type JsonValue } from '@fds/json';
import { loadLinkingAdaptors, type LinkingAdaptor } from '../../../store/records/read-records.js';
import type { RecordsWriting } from '../../../writing/writes/resolvers/require-written.js';
import type { ListingAccess } from '../../../reading/listing/resolvers/list-data-records.js';
import { NestedValue } from '../../../reading/listing/resolvers/nested-value.js';
import { perRequest } from '../../../base/per-request.js';
import { resolveRecordPage } from '../../../reading/listing/resolvers/record-page.js';
import { createRecordTypeChanges } from './record-type-changes.js';
import { createReferenceResolver } from './record-references.js';
import type { RecordRow } from '../../../reading/listing/resolvers/record-row.js';

/** Do the objects of a nested type contain references at any depth? */
const leadsToReferences = (definition: RecordTypeDefinition, typeName: string): boolean =>
  definition.nestedTypes
    .find((nested) => nested.typeName === typeName)
    ?.fields.some(
      (field) =>
        field.kind === 'reference' || (field.kind === 'nested' && leadsToReferences(definition, field.typeName)),
    ) ?? false;

const wrap = (row: RecordRow, value: JsonValue | undefined): unknown => {
  if (Array.isArray(value)) return value.map((item: JsonValue) => wrap(row, item));
  return isJsonObject(value) ? new NestedValue(row, value) : value;
};

/** Reads a property of the record itself, or of an object nested in it. */
const readProperty = (definition: RecordTypeDefinition, field: ScalarField | NestedField): RecordFieldResolver => {
  const { propertyName } = field;
  const isNested = field.path.includes('.');
  if (field.kind === 'nested' && leadsToReferences(definition, field.typeName)) {
    return (source) => {
      const { row, value } = isNested
        ? (source as NestedValue)
        : { row: source as RecordRow, value: (source as RecordRow).data };
      return Object.hasOwn(value, propertyName) ? wrap(row, value[propertyName]) : null;
    };
  }
  if (isNested) {
    const read = readOwnProperty(propertyName);
    return (source, ...rest) => read(source instanceof NestedValue ? source.value : source, ...rest);
  }
  return (source) => {
    const { data } = source as RecordRow;
    return Object.hasOwn(data, propertyName) ? data[propertyName] : null;
  };
};

/** Resolvers of the generated `dr_...` types. */
export const createRecordTypeResolvers = (
  access: ListingAccess & RecordsWriting & { readonly assembler: Assembler },
): RecordTypeResolvers => {
  const adaptors = perRequest(
    () =>
      new DataLoader<string, readonly LinkingAdaptor[]>(async (uuids) => {
        const linking = await loadLinkingAdaptors(access.database.reads, uuids);
        return uuids.map((uuid) => linking.get(uuid) ?? []);
      }),
  );
  return {
    page: (definition) => resolveRecordPage(access, definition),
    metadata: (definition) => (source, _args, context) => {
      const version = access.view().catalog.versionByUuid(definition.domainVersionUuid);
      const restriction = restrictionOf(context.principal, 'GET', version);
      const mayKnow = (recordUuid: string, { uuid: adaptorUuid, zoneUuid }: LinkingAdaptor): boolean =>
        restriction === undefined || restriction.at({ adaptorUuid, zoneUuid }).of(recordUuid).extent !== 'NONE';
      const { uuid, dateCreated, drKey, status } = source as RecordRow;
      return {
        uuid,
        dateCreated,
        drKey: () => parseJson(drKey),
        status,
        adaptors: async () => {
          const linking = await adaptors(context).load(uuid);
          return linking.filter((adaptor) => mayKnow(uuid, adaptor));
        },
      };
    },
    property: readProperty,
    reference: createReferenceResolver(access),
    change: createRecordTypeChanges(access),
  };
};
