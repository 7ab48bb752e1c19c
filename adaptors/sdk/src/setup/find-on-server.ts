import type { CapabilityOption } from './parse-capability.js';
import type { ServerApi } from './server-api.js';
import { SetupFailure } from './setup-failure.js';

export interface Named {
  readonly uuid: string;
  readonly name: string;
}

/** A domain version on the server. */
export interface Version {
  readonly uuid: string;
  readonly versionNumber: number;
  readonly domain: Named;
}

const namesOf = (found: readonly Named[]): string => {
  const names = found.map(({ name }) => name).sort();
  return names.length > 20 ? `${names.slice(0, 20).join(', ')} and ${names.length - 20} more` : names.join(', ');
};

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

const pick = <Found extends Named>(kind: string, wanted: string, found: readonly Found[]): Found => {
  const exact = found.filter(({ uuid, name }) => same(uuid, wanted) || name === wanted);
  const [match, ...others] = exact.length > 0 ? exact : found.filter(({ name }) => same(name, wanted));
  if (match === undefined)
    throw new SetupFailure(
      `there is no ${kind} "${wanted}"${found.length === 0 ? '' : `; there are: ${namesOf(found)}`}`,
    );
  if (others.length > 0) throw new SetupFailure(`several of kind ${kind} are named "${wanted}"; give the uuid`);
  return match;
};

/** The zone with this name or uuid, or the only zone. @throws SetupFailure */
export const findZone = async (api: ServerApi, wanted: string | undefined): Promise<Named> => {
  const zones = await api.list<Named>('read the zones', '/zones', 'zones');
  if (wanted !== undefined) return pick('zone', wanted, zones);
  const [only, ...others] = zones;
  if (only === undefined) throw new SetupFailure('your user sees no zone; ask for a permission in one');
  if (others.length > 0) throw new SetupFailure(`choose a zone with --zone; there are: ${namesOf(zones)}`);
  return only;
};

/** An adaptor type and the capabilities that its adaptors inherit. */
export interface AdaptorType extends Named {
  readonly defaultCapabilities?: readonly Pick<CapabilityOption, 'domainName' | 'versionNumber'>[];
}

/** The adaptor type with this name or uuid. @throws SetupFailure */
export const findType = async (api: ServerApi, wanted: string): Promise<AdaptorType> =>
  pick('adaptor type', wanted, await api.list<AdaptorType>('read the adaptor types', '/adaptor-types', 'adaptorTypes'));

/** The domain versions of capabilities. @throws SetupFailure that names those that do not exist */
export const requireVersions = async (
  api: ServerApi,
  capabilities: readonly Pick<CapabilityOption, 'domainName' | 'versionNumber'>[],
): Promise<readonly Version[]> => {
  if (capabilities.length === 0) return [];
  const versions = await api.list<Version>('read the domain versions', '/domains/versions', 'domainVersions');
  const nameOf = ({ domain, versionNumber }: Version): string => `${domain.name}:${versionNumber}`;
  const names = versions.map(nameOf);
  const wantedNames = capabilities.map(({ domainName, versionNumber }) => `${domainName}:${versionNumber}`);
  const missing = wantedNames.filter((wanted) => !names.some((name) => same(name, wanted)));
  if (missing.length > 0)
    throw new SetupFailure(
      `there is no domain version ${missing.join(', ')}; ${names.length === 0 ? 'create one first' : `there are: ${names.sort().slice(0, 20).join(', ')}`}`,
    );
  return versions.filter((version) => wantedNames.some((wanted) => same(nameOf(version), wanted)));
};
