import type { CapabilityOption } from './parse-capability.js';
import type { ServerApi } from './server-api.js';
import { SetupFailure } from './setup-failure.js';

export interface Named {
  readonly uuid: string;
  readonly name: string;
}

interface Version {
  readonly versionNumber: number;
  readonly domain: Named;
}

const namesOf = (found: readonly Named[]): string => {
  const names = found.map(({ name }) => name).sort();
  return names.length > 20 ? `${names.slice(0, 20).join(', ')} and ${names.length - 20} more` : names.join(', ');
};

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

const pick = (kind: string, wanted: string, found: readonly Named[]): Named => {
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

/** The adaptor type with this name or uuid. @throws SetupFailure */
export const findType = async (api: ServerApi, wanted: string): Promise<Named> =>
  pick('adaptor type', wanted, await api.list<Named>('read the adaptor types', '/adaptor-types', 'adaptorTypes'));

/** @throws SetupFailure that names the domain versions that do not exist */
export const requireVersions = async (api: ServerApi, capabilities: readonly CapabilityOption[]): Promise<void> => {
  if (capabilities.length === 0) return;
  const versions = await api.list<Version>('read the domain versions', '/domains/versions', 'domainVersions');
  const names = versions.map(({ domain, versionNumber }) => `${domain.name}:${versionNumber}`);
  const missing = capabilities
    .map(({ domainName, versionNumber }) => `${domainName}:${versionNumber}`)
    .filter((wanted) => !names.some((name) => same(name, wanted)));
  if (missing.length > 0)
    throw new SetupFailure(
      `there is no domain version ${missing.join(', ')}; ${names.length === 0 ? 'create one first' : `there are: ${names.sort().slice(0, 20).join(', ')}`}`,
    );
};
