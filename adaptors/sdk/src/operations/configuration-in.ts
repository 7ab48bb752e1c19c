import type { OpsRequest } from '@fds/adaptor-protocol';
import type { AdaptorConfiguration, Capability } from '../handlers.js';

export const unconfigured: AdaptorConfiguration = {
  metadata: {},
  capabilities: [],
  discoveryMode: false,
  domainVersions: [],
};

const isCapabilities = (value: unknown): value is readonly Capability[] => Array.isArray(value);

/** Null is a value: the adaptor has no limit. */
const limitIn = ({ deletionLimit }: Pick<AdaptorConfiguration, 'deletionLimit'>) =>
  deletionLimit === undefined ? {} : { deletionLimit };

/** The configuration in a START or METADATA; absent members stay unchanged. */
export const configurationIn = (request: OpsRequest, current: AdaptorConfiguration): AdaptorConfiguration => ({
  metadata: request.metadata ?? current.metadata,
  capabilities: isCapabilities(request.capabilities) ? request.capabilities : current.capabilities,
  discoveryMode: request.discoveryMode ?? current.discoveryMode,
  domainVersions: request.domainVersions ?? current.domainVersions,
  ...limitIn(request.deletionLimit === undefined ? current : request),
});
