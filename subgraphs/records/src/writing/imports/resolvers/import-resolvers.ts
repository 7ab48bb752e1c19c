import { guarded, type RequestContext } from '@fds/graphql';
import { createKeyQueues } from '@fds/service';
import {
  addUploadPart,
  importDataRecords,
  removeUpload,
  type ImportDataRecordsInput,
  type ImportLimits,
  type UploadPartArguments,
} from './import-data-records.js';
import type { RecordsWriting } from '../../writes/resolvers/require-written.js';

const bulk = { mode: 'require', action: 'POST', resource: '/drs/bulk' } as const;

/** Mutations of the bulk import. The imports of a process run one after the other: they would share its core anyway. */
export const createImportResolvers = (access: RecordsWriting & ImportLimits): Record<string, unknown> => {
  const imports = createKeyQueues();
  return {
    addUploadPart: guarded<UploadPartArguments>(bulk, (args, context: RequestContext) =>
      addUploadPart(access, args, context),
    ),
    removeUpload: guarded<{ readonly uploadUuid: string }>(bulk, (args, context) =>
      removeUpload(access, args, context),
    ),
    importDataRecords: guarded<{ readonly input: ImportDataRecordsInput }>(bulk, ({ input }, context) =>
      importDataRecords({ ...access, imports }, input, context),
    ),
  };
};
