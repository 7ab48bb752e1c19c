import type { RecordsSubgraph } from '@fds/records';
import { openRecordTypeFeed, type RecordTypeFeed } from '@fds/records';
import { subgraphNames, type Subgraph, type SubgraphName } from '@fds/graphql';
import { createSubscriptionSchema } from '@fds/notifications';
import type { Lifetime } from '@fds/service';
import { createInProcessDataSource } from '../data-sources/in-process-data-source.js';
import { maySeeRecordType } from '../stitching/may-see-record-type.js';
import { readComposedSdl } from '../stitching/composed-sdl.js';
import { createStitchedGateway, type StitchedGateway } from '../stitching/stitched-gateway.js';
import type { Parts } from './create-parts.js';
import type { Platform } from './open-platform.js';
import type { ServiceSettings } from './settings/service-settings.js';

export interface GatewayOptions {
  readonly settings: ServiceSettings;
  readonly platform: Platform;
  readonly parts: Parts;
  /** Address of the service as clients see it. */
  readonly baseUrl: string;
  readonly lifetime: Lifetime;
}

/** The record types: from the subgraph of this process, otherwise from the shared database. */
const feedOf = async (
  records: RecordsSubgraph | undefined,
  { platform, lifetime }: GatewayOptions,
): Promise<RecordTypeFeed> => {
  if (records !== undefined) return records.recordTypes;
  const { database, log } = platform;
  return lifetime.own(await openRecordTypeFeed({ database, log }));
};

/** Opens the stitched gateway over the subgraphs of this and other processes. It follows the changes of the record types. */
export const openGateway = async (options: GatewayOptions): Promise<StitchedGateway> => {
  const { settings, platform, parts, lifetime } = options;
  const { database, cursors, log, proofs } = platform;
  const remote = (part: SubgraphName): string => settings[`${part}Url`] ?? '';
  const dataSource = async (part: SubgraphName) => {
    const subgraph: Subgraph | undefined = parts[part];
    if (subgraph !== undefined) return createInProcessDataSource(subgraph, log, settings.graphqlCacheBytes);
    // the client is loaded only if a part runs in another process
    const { createGraphqlClient } = await import('../data-sources/graphql-client.js');
    const { createHttpDataSource } = await import('../data-sources/http-data-source.js');
    return createHttpDataSource(
      lifetime.own(createGraphqlClient({ url: `${remote(part).replace(/\/$/, '')}/graphql`, proofs })),
    );
  };
  const gateway = createStitchedGateway({
    sdl: readComposedSdl(),
    dataSources: Object.fromEntries(
      await Promise.all(subgraphNames.map(async (part) => [part, await dataSource(part)] as const)),
    ),
    maySee: maySeeRecordType,
    buildSubscriptionSchema: () => createSubscriptionSchema({ database, cursors, baseUrl: options.baseUrl }),
    cacheBytes: settings.graphqlCacheBytes,
    log,
  });
  const feed = await feedOf(parts.records, options);
  gateway.putVersions(feed.current());
  const stop = feed.onRecordTypesChanged((changes) => {
    for (const change of changes) {
      if (change.kind === 'PUT') gateway.putVersions([change.definition]);
      else gateway.removeVersion(change.typeName);
    }
  });
  lifetime.onClose(() => stop());
  return gateway;
};
