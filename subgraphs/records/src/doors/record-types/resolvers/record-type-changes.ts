import { AppError } from '@fds/errors';
import { guarded } from '@fds/graphql';
import { readRecordInput, type RecordTypeDefinition, type RecordTypeResolvers } from '@fds/record-types';
import { findVersionsOfRecords } from '../../../catalog-view/store/find-versions-of-records.js';
import {
  deleteDataRecord,
  patchDataRecord,
  type DeletionArguments,
  type PatchArguments,
} from '../../../writing/writes/resolvers/change-data-record.js';
import { addDataRecord } from '../../../writing/writes/resolvers/create-data-record.js';
import type { RecordsWriting } from '../../../writing/writes/resolvers/require-written.js';

interface TypedInput {
  readonly input: unknown;
}

/** A record never moves to another version, so that nothing can change between this and the write. @throws AppError NOT_FOUND */
const requireOfVersion = async (
  { database }: RecordsWriting,
  { domainVersionUuid }: RecordTypeDefinition,
  drUuid: string,
): Promise<void> => {
  const versions = await findVersionsOfRecords(database.pool, [drUuid]);
  if (versions.get(drUuid) !== domainVersionUuid) throw new AppError('NOT_FOUND', 'there is no such data record');
};

/** Resolvers of the mutations of record types: the generic mutations, with typed input. Pointers count from the top of `input`. */
export const createRecordTypeChanges =
  (access: RecordsWriting): RecordTypeResolvers['change'] =>
  (definition, kind) => {
    switch (kind) {
      case 'create':
        return guarded<TypedInput>(
          { mode: 'require', action: 'POST', resource: '/drs' },
          async ({ input }, context) => {
            const version = await access.view().findVersionByUuid(definition.domainVersionUuid);
            if (version === undefined) throw new AppError('NOT_FOUND', 'there is no such domain version');
            return addDataRecord(access, { version, json: readRecordInput(definition, input), at: '' }, context);
          },
          { checks: 'input' },
        );
      case 'update':
        return guarded<TypedInput & Pick<PatchArguments, 'drUuid' | 'changeVersion'>>(
          { mode: 'require', action: 'PATCH', resource: '/drs/{drUuid}' },
          async ({ input, ...args }, context) => {
            await requireOfVersion(access, definition, args.drUuid);
            return patchDataRecord(access, { ...args, patch: readRecordInput(definition, input) }, context);
          },
          { checks: 'input' },
        );
      case 'delete':
        return guarded<DeletionArguments>(
          { mode: 'require', action: 'DELETE', resource: '/drs/{drUuid}' },
          async (args, context) => {
            await requireOfVersion(access, definition, args.drUuid);
            return deleteDataRecord(access, args, context);
          },
        );
    }
  };
