import { isDeepStrictEqual } from 'node:util';
import type { CapabilityOption } from './parse-capability.js';
import type { ServerApi } from './server-api.js';
import { SetupFailure } from './setup-failure.js';

/** The adaptor that the flags describe. */
export interface WantedAdaptor {
  readonly zoneUuid: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly adaptorTypeUuid: string | undefined;
  /** Empty: the capabilities of the type, or those of the existing adaptor. */
  readonly capabilities: readonly CapabilityOption[];
  readonly metadata: unknown;
  /** Does a new adaptor start in discovery mode? */
  readonly joins: () => Promise<boolean>;
}

/** Credentials and address of an adaptor on the message bus. */
export interface Registration {
  readonly uuid: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly messageBusUrl: string;
}

interface FoundAdaptor {
  readonly uuid: string;
  readonly name: string;
  readonly active: boolean;
  readonly changeVersion: number;
  readonly adaptorTypeUuid: string | null;
  readonly capabilities: readonly Capability[] | null;
}

type CreatedAdaptor = Pick<FoundAdaptor, 'uuid' | 'changeVersion'>;

interface Capability {
  readonly domainName: string;
  readonly versionNumber: number;
  readonly action: string;
}

const flat = (capabilities: readonly CapabilityOption[]): readonly Capability[] =>
  capabilities.flatMap(({ domainName, versionNumber, actions }) =>
    actions.map((action) => ({ domainName, versionNumber, action })),
  );

const keysOf = (capabilities: readonly Capability[]): ReadonlySet<string> =>
  new Set(capabilities.map(({ domainName, versionNumber, action }) => `${domainName}:${versionNumber} ${action}`));

const changesOf = (wanted: WantedAdaptor, found: FoundAdaptor): object => {
  const capabilities = flat(wanted.capabilities);
  const isSame = isDeepStrictEqual(keysOf(capabilities), keysOf(found.capabilities ?? []));
  return {
    ...(capabilities.length === 0 || isSame ? {} : { capabilities }),
    ...(wanted.metadata === undefined ? {} : { metadata: wanted.metadata }),
    ...(wanted.description === undefined ? {} : { description: wanted.description }),
  };
};

/** CREATED: the adaptor is new. If an adaptor with the name existed: CHANGED by the flags, or UNCHANGED. */
export type Creation = 'CREATED' | 'CHANGED' | 'UNCHANGED';

const useAgain = async (api: ServerApi, wanted: WantedAdaptor, found: FoundAdaptor): Promise<Creation> => {
  if (!found.active)
    throw new SetupFailure(
      `the adaptor "${found.name}" is deactivated; activate it (PATCH with {"active": true}) or choose another --name`,
    );
  if (wanted.adaptorTypeUuid !== undefined && found.adaptorTypeUuid !== wanted.adaptorTypeUuid)
    throw new SetupFailure(`the adaptor "${found.name}" exists and has another type; choose another --name`);
  const changes = changesOf(wanted, found);
  if (Object.keys(changes).length === 0) return 'UNCHANGED';
  await api.send('change the adaptor', 'PATCH', `/zones/${wanted.zoneUuid}/adaptors/${found.uuid}`, {
    ...changes,
    changeVersion: found.changeVersion,
  });
  return 'CHANGED';
};

/**
 * Creates the adaptor, or uses the existing adaptor with its name: a second call does not create a second adaptor.
 *
 * @throws SetupFailure
 */
export const createAdaptor = async (
  api: ServerApi,
  wanted: WantedAdaptor,
): Promise<{ readonly creation: Creation; readonly registration: Registration; readonly changeVersion: number }> => {
  const path = `/zones/${wanted.zoneUuid}/adaptors`;
  const all = await api.list<FoundAdaptor>('read the adaptors', `${path}?options=include-inactive:true`, 'adaptors');
  const found = all.find(({ name }) => name === wanted.name);
  const registrationOf = (uuid: string): Promise<Registration> =>
    api.send<Registration>('read the credentials of the adaptor', 'GET', `${path}/${uuid}/registration`);
  if (found !== undefined) {
    const creation = await useAgain(api, wanted, found);
    return { creation, registration: await registrationOf(found.uuid), changeVersion: found.changeVersion };
  }
  const { name, description, adaptorTypeUuid, metadata } = wanted;
  const capabilities = flat(wanted.capabilities);
  const created = await api.send<CreatedAdaptor>('create the adaptor', 'POST', path, {
    name,
    ...((await wanted.joins()) ? { discoveryMode: true } : {}),
    ...(description === undefined ? {} : { description }),
    ...(adaptorTypeUuid === undefined ? {} : { adaptorTypeUuid }),
    ...(capabilities.length === 0 ? {} : { capabilities }),
    ...(metadata === undefined ? {} : { metadata }),
  });
  const { uuid, changeVersion } = created;
  return { creation: 'CREATED', registration: await registrationOf(uuid), changeVersion };
};
