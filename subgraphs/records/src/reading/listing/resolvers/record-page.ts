import { parseAssemblerOptions, type Assembler } from '@fds/assembly-contract';
import { restrictionOf } from '@fds/access-rules';
import { readTogether } from '@fds/errors';
import { guarded, requestsTotal, requirePage, type RequestContext } from '@fds/graphql';
import { readVisibility, type ListingFilter } from '@fds/search';
import type { RecordFieldResolver, RecordTypeDefinition } from '@fds/record-types';
import { maskRecords } from '../../visibility/mask-records.js';
import { assembleRows } from './assemble-rows.js';
import { readCondition, readOrder } from './key-properties.js';
import type { ListingAccess } from './list-data-records.js';
import { sessionOfCaller } from './session-of-caller.js';
import { createRecordListing } from './record-listing.js';
import { StoredData, type AssemblyOptions } from './record-row.js';
import { requiredProperties } from './required-properties.js';

interface PageArguments {
  readonly page?: number | null;
  readonly size?: number | null;
  readonly query?: string | null;
  readonly sort?: string | null;
  readonly zoneUuid?: string | null;
  readonly drUuids?: readonly (string | null)[] | null;
  /** JSON-encoded object. */
  readonly additionalParameters?: string | null;
}

/** The assembly options in the arguments of a query. @throws AppError INVALID_PARAMETER */
const readAssemblyOptions = (args: PageArguments, { principal }: RequestContext): AssemblyOptions => {
  const additional = parseAssemblerOptions(args.additionalParameters ?? '{}');
  const { expandRefs = true, maxRefDepth = Infinity, maxRefSize: maxSize } = additional;
  return {
    zoneUuid: args.zoneUuid ?? principal.defaultZoneUuid,
    additional,
    references: { levels: expandRefs ? maxRefDepth : 0, maxSize },
  };
};

/** The query field of a record type: a page of records by DR Key, of a federated version assembled. */
export const resolveRecordPage = (
  access: ListingAccess & { readonly assembler: Assembler },
  definition: RecordTypeDefinition,
): RecordFieldResolver =>
  guarded<PageArguments>({ mode: 'require', action: 'GET', resource: '/drs' }, (args, context, info) => {
    const version = access.view().catalog.versionByUuid(definition.domainVersionUuid);
    const { principal } = context;
    const searched = version && { model: version.model, restriction: restrictionOf(principal, 'GET', version) };
    const { page, order, keys, options } = readTogether({
      page: () => requirePage(args),
      order: () => readOrder(searched, args.sort),
      keys: () => readCondition(searched, args.query),
      options: () => readAssemblyOptions(args, context),
    });
    const visibility = version && readVisibility(principal, [version], requiredProperties({ ...keys, order }));
    const drUuids = args.drUuids?.flatMap((uuid) => uuid ?? []);
    const filter: ListingFilter = {
      version: { uuid: definition.domainVersionUuid, domainType: definition.domainType },
      ...keys,
      ...(drUuids === undefined ? {} : { drUuids }),
      rows: 'PER_RECORD',
      ...(visibility === undefined ? {} : { visibility }),
    };
    const requested = { ...page, order, isTotalRequested: requestsTotal(info) };
    const listing = createRecordListing(access, sessionOfCaller(access.database, context), filter, requested);
    const isShownWhole = visibility === undefined && definition.domainType === 'SERVICE_DATA_STORE';
    return {
      ...(isShownWhole ? { properties: async () => (await listing.data()).map((json) => new StoredData(json)) } : {}),
      data: async () => {
        const records = await maskRecords(await listing.records(), visibility, access.view());
        return assembleRows(access.assembler, definition, records, options, context);
      },
      page: () => listing.pageInfo(),
    };
  });
