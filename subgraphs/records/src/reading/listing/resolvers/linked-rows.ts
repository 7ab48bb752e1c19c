import DataLoader from 'dataloader';
import type { Assembler } from '@fds/assembly-contract';
import { AppError } from '@fds/errors';
import type { RequestContext } from '@fds/graphql';
import { stringifyJson } from '@fds/json';
import {
  linkRequestKey,
  type LinkedRecord as LoadedRecord,
  type LinkedVersion,
  type LinkRequest,
} from '@fds/references';
import { loadSeenLinks } from '../../visibility/load-seen-links.js';
import type { SeenRecord } from '../../visibility/mask-records.js';
import { assembleRows } from './assemble-rows.js';
import { sessionOfCaller } from './session-of-caller.js';
import type { ListingAccess } from './list-data-records.js';
import { perRequest } from '../../../base/per-request.js';
import type { AssemblyOptions, RecordRow } from './record-row.js';

type LinkedRecord = SeenRecord<LoadedRecord>;

export type LinkedRowsAccess = Pick<ListingAccess, 'database' | 'searchIndexes' | 'view'> & {
  readonly assembler: Assembler;
};

/** Records of one assembly at most (docs/reference/assembly.md#request). */
const maxAssembled = 1000;
/** Records that the references of one answer lead to, each as often as it is led to. */
const maxLinked = 50_000;

const tooMany = (): AppError =>
  new AppError('QUERY_TOO_COMPLEX', `the references of one answer lead to more than ${maxLinked} records`);

/**
 * Options that apply to everything that is assembled. Other options select the top-level records and define how they
 * are shown.
 */
const sharedOptions: ReadonlySet<string> = new Set([
  'timeout',
  'releasePolicy',
  'adaptors',
  'goldAdaptors',
  'silverAdaptors',
  'bronzeAdaptors',
  'additionalParams',
]);

const shareOptions = ({ zoneUuid, additional, references }: AssemblyOptions): AssemblyOptions => ({
  zoneUuid,
  references: { ...references, levels: references.levels - 1 },
  additional: Object.fromEntries(Object.entries(additional).filter(([name]) => sharedOptions.has(name))),
});

/** The rows that a reference leads to. */
export type LinkedRows = (
  request: LinkRequest,
  options: AssemblyOptions,
  context: RequestContext,
) => Promise<readonly RecordRow[]>;

/** Looks up references: those that are asked for at once in one statement, and in one assembly for each version. */
export const createLinkedRows = ({ database, view, searchIndexes, assembler }: LinkedRowsAccess): LinkedRows => {
  const requestIndexes = (requests: readonly LinkRequest[]): void => {
    for (const { version, matching } of new Set(
      requests.flatMap(({ links: asked, targets }) => (targets === undefined ? asked : [])),
    )) {
      if (matching?.condition === undefined) continue;
      const { uuid, domainType } = version;
      searchIndexes.requestIndex(
        { version: { uuid, domainType }, condition: matching.condition, rows: 'PER_RECORD' },
        [],
      );
    }
  };

  const links = perRequest(
    (context) =>
      new DataLoader<LinkRequest, readonly LinkedRecord[], string>(
        async (requests) => {
          requestIndexes(requests);
          const { principal } = context;
          const session = sessionOfCaller(database, context);
          const linked = await loadSeenLinks({ session, view }, principal, requests, maxLinked);
          return linked ?? requests.map(tooMany);
        },
        { cacheKeyFn: linkRequestKey },
      ),
  );

  const counts = perRequest(() => ({ linked: 0 }));
  const count = (linked: readonly LinkedRecord[], context: RequestContext): void => {
    const counted = counts(context);
    counted.linked += linked.length;
    if (counted.linked > maxLinked) throw tooMany();
  };

  /** Rows by how they are asked for: a record that several refer to is parsed, or assembled, once. */
  const rows = perRequest((context) => {
    const loaders = new Map<string, DataLoader<LinkedRecord, RecordRow, string>>();
    return (version: LinkedVersion, options: AssemblyOptions) => {
      const { levels, maxSize = null } = options.references;
      const followed = [Number.isFinite(levels) ? levels : null, maxSize];
      const key = stringifyJson([version.uuid, options.zoneUuid ?? null, options.additional, followed]);
      const loader =
        loaders.get(key) ??
        new DataLoader<LinkedRecord, RecordRow, string>(
          (records) => assembleRows(assembler, version, records, options, context),
          { cacheKeyFn: ({ uuid }) => uuid, maxBatchSize: maxAssembled },
        );
      loaders.set(key, loader);
      return loader;
    };
  });

  return async (request, options, context) => {
    const linked = await links(context).load(request);
    if (linked.length === 0) return [];
    count(linked, context);
    const shared = shareOptions(options);
    const loader = rows(context)(request.links.version, shared);
    return Promise.all(linked.map((record) => loader.load(record)));
  };
};
