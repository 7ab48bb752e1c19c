import DataLoader from 'dataloader';
import type { Assembler } from '@fds/assembly-contract';
import { readOwnProperty, type RecordTypeResolvers } from '@fds/record-types';
import { isJsonObject, parseJson, type JsonValue } from '@fds/json';
import { loadLinkingAdaptors, type LinkingAdaptor } from '../store/read-records.js';
import type { ListingAccess } from './list-data-records.js';
import { perRequest } from './per-request.js';
import { resolveRecordPage } from './record-page.js';
import { createReferenceResolver } from './record-references.js';
import type { RecordRow } from './record-row.js';

/** A property of the record itself is in the row's data, one of a nested object in the object. */
const readMember =
  (field: { readonly path: string; readonly propertyName: string }) =>
  (source: unknown): JsonValue | undefined => {
    const holder = field.path.includes('.') ? source : (source as RecordRow).data;
    return isJsonObject(holder) && Object.hasOwn(holder, field.propertyName) ? holder[field.propertyName] : undefined;
  };

/** Resolvers of the generated `dr_...` types. */
export const createRecordTypeResolvers = (
  access: ListingAccess & { readonly assembler: Assembler },
): RecordTypeResolvers => {
  const adaptors = perRequest(
    () =>
      new DataLoader<string, readonly LinkingAdaptor[]>(async (uuids) => {
        const linking = await loadLinkingAdaptors(access.database.pool, uuids);
        return uuids.map((uuid) => linking.get(uuid) ?? []);
      }),
  );
  const resolveReference = createReferenceResolver(access);
  return {
    page: (definition) => resolveRecordPage(access, definition),
    metadata: () => (source, _args, context) => {
      const { uuid, dateCreated, drKey, status } = source as RecordRow;
      return {
        uuid,
        dateCreated,
        drKey: () => parseJson(drKey),
        status,
        adaptors: () => adaptors(context).load(uuid),
      };
    },
    property: (_definition, field) => {
      if (field.path.includes('.')) return readOwnProperty(field.propertyName);
      const { propertyName } = field;
      return (source) => {
        const { data } = source as RecordRow;
        return Object.hasOwn(data, propertyName) ? data[propertyName] : null;
      };
    },
    reference: (_definition, field) => resolveReference(field, readMember(field)),
  };
};
