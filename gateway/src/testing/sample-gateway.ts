import { createLog } from '@fds/service';
import type { RecordTypeDefinition } from '@fds/record-types';
import { createInProcessDataSource } from '../data-sources/in-process-data-source.js';
import { createGraphqlExecutor, type InProcessExecutor } from '../executor/graphql-executor.js';
import { maySeeRecordType } from '../stitching/may-see-record-type.js';
import { cacheShares, defaultCacheBytes } from '../requests/retained-bytes.js';
import {
  createStitchedGateway,
  type StitchedGateway,
  type StitchedGatewayOptions,
} from '../stitching/stitched-gateway.js';
import { readComposedSdl } from '../stitching/composed-sdl.js';
import { createSampleSubgraphs, type SampleSubgraphs } from './sample-subgraphs.js';

export const silent = createLog('silent');

const sdl = readComposedSdl();

export interface SampleGateway {
  readonly subgraphs: SampleSubgraphs;
  readonly gateway: StitchedGateway;
  readonly executor: InProcessExecutor;
  /** Publishes record types in the order of the service: in the subgraph first. */
  readonly add: (definitions: readonly RecordTypeDefinition[]) => void;
  /** Removes a record type: from the gateway first. */
  readonly remove: (typeName: string) => void;
}

/** The stitched gateway over the sample subgraphs, in process. */
export const createSampleGateway = ({
  maySee = maySeeRecordType,
  cacheBytes = defaultCacheBytes,
}: Partial<Pick<StitchedGatewayOptions, 'maySee' | 'cacheBytes'>> = {}): SampleGateway => {
  const subgraphs = createSampleSubgraphs(cacheBytes * cacheShares.schemas);
  const dataSources = Object.fromEntries(
    Object.entries(subgraphs).map(([name, subgraph]) => [
      name,
      createInProcessDataSource(subgraph, silent, cacheBytes),
    ]),
  );
  const gateway = createStitchedGateway({ sdl, dataSources, maySee, cacheBytes, log: silent });
  return {
    subgraphs,
    gateway,
    executor: createGraphqlExecutor({ gateway, cacheBytes, log: silent }),
    add: (definitions) => {
      for (const definition of definitions) subgraphs.records.registry.put(definition);
      gateway.putVersions(definitions);
    },
    remove: (typeName) => {
      gateway.removeVersion(typeName);
      subgraphs.records.registry.remove(typeName);
    },
  };
};
