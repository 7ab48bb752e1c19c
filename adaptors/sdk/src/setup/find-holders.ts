import type { Version } from './find-on-server.js';
import type { ServerApi } from './server-api.js';
import { SetupFailure } from './setup-failure.js';

/** A domain version of which other adaptors have records. */
export interface HeldVersion {
  readonly version: Version;
  /** Names of some of these adaptors. Empty: the caller may not see whether there are any. */
  readonly holders: readonly string[];
}

interface CapableAdaptor {
  readonly adaptor: { readonly uuid: string; readonly name: string };
}

interface Page {
  readonly _page: { readonly totalElements: number };
}

const maxNames = 3;
/** Each takes one request. */
const maxAsked = 100;

const hasRecords = async (
  api: ServerApi,
  { domain, versionNumber }: Version,
  adaptorUuid: string,
): Promise<boolean> => {
  const filters = `name:${domain.name},version:${versionNumber},adaptor:${adaptorUuid}`;
  const { _page } = await api.send<Page>('look for records', 'GET', `/drs?filters=${filters}&size=1`);
  return _page.totalElements > 0;
};

/** @param zoneUuid the zone of the new adaptor */
const findHolders = async (api: ServerApi, zoneUuid: string, version: Version): Promise<readonly string[]> => {
  const path = `/zones/${zoneUuid}/capable-adaptors/${version.uuid}`;
  const capable = await api.list<CapableAdaptor>('read the capable adaptors', path, 'capableAdaptors');
  const adaptors = new Map(capable.map(({ adaptor }) => [adaptor.uuid, adaptor.name]));
  const holders: string[] = [];
  for (const [uuid, name] of [...adaptors].slice(0, maxAsked)) {
    if (holders.length === maxNames) break;
    if (await hasRecords(api, version, uuid)) holders.push(name);
  }
  return holders;
};

/** The versions of which other adaptors have records, or may have: a caller who may not see it gets no names. */
export const findHeldVersions = async (
  api: ServerApi,
  zoneUuid: string,
  versions: readonly Version[],
): Promise<readonly HeldVersion[]> => {
  const held: HeldVersion[] = [];
  for (const version of versions) {
    const holders = await findHolders(api, zoneUuid, version).catch((error: unknown) => {
      if (error instanceof SetupFailure) return undefined;
      throw error;
    });
    if (holders === undefined) held.push({ version, holders: [] });
    else if (holders.length > 0) held.push({ version, holders });
  }
  return held;
};
