import type { Assembler } from '@fds/assembly-contract';
import type { Principal } from '@fds/auth';
import { isUnavailable } from '@fds/database';
import { isJsonObject, type JsonObject } from '@fds/json';
import type { CatalogView } from '../../catalog-view/open-catalog-view.js';
import type { AdaptorView, DomainVersionView } from '../../domain/catalog.js';
import type { HeldValues } from '../../domain/issues/send-again.js';

export interface HoldersDependencies {
  readonly assembler: Assembler;
  readonly view: CatalogView;
}

/** The records that are asked for, and the adaptor that lost them. */
export interface HolderQuestion {
  readonly version: DomainVersionView;
  /** It has lost the records: it is not asked, and its zone asks. */
  readonly adaptor: AdaptorView;
  readonly recordUuids: readonly string[];
  /** Adaptors that link any of the records, besides the one that lost them. */
  readonly holderUuids: readonly string[];
}

/** Time for the answers of adaptors, in seconds. */
const timeoutSeconds = 5;

/** The service asks by itself: data access rules limit people, governance limits zones. */
export const serviceFor = ({ uuid, zoneUuid, name }: AdaptorView): Principal => ({
  kind: 'ADAPTOR',
  uuid,
  username: name,
  zones: [{ zoneUuid, zoneName: '', zoneUserUuid: uuid, default: true, knowsPerson: true, roles: [], groups: [] }],
  defaultZoneUuid: zoneUuid,
  permits: () => true,
});

/** Values by the adaptor that has them, the one with the most values first. */
const bySource = async (
  view: CatalogView,
  data: JsonObject,
  provenance: Readonly<Record<string, { readonly adaptorUuid: string | null }>>,
): Promise<readonly HeldValues[]> => {
  const parts = new Map<string, Record<string, JsonObject[string]>>();
  for (const [name, value] of Object.entries(data)) {
    const uuid = provenance[name]?.adaptorUuid;
    if (uuid === null || uuid === undefined) continue;
    parts.set(uuid, { ...parts.get(uuid), [name]: value });
  }
  const held: HeldValues[] = [];
  for (const [uuid, json] of parts) {
    const source = await view.findAdaptor(uuid);
    if (source !== undefined) held.push({ source: { uuid, zoneUuid: source.zoneUuid }, json });
  }
  return held.toSorted((one, other) => Object.keys(other.json).length - Object.keys(one.json).length);
};

/**
 * Asks the other adaptors that hold records for their live values, by assembly.
 *
 * @returns by record; a record for which none answered is absent
 * @throws the database's error
 */
export const askHolders = async (
  { assembler, view }: HoldersDependencies,
  { version, adaptor, recordUuids, holderUuids }: HolderQuestion,
): Promise<ReadonlyMap<string, readonly HeldValues[]>> => {
  const found = new Map<string, readonly HeldValues[]>();
  if (holderUuids.length === 0) return found;
  const request = {
    zoneUuid: adaptor.zoneUuid,
    domain: version.domainName,
    versionNumber: version.versionNumber,
    adaptors: holderUuids,
    drUuids: recordUuids,
    expandRefs: false,
    timeout: timeoutSeconds,
    page: 0,
    size: recordUuids.length,
    options: { provenance: true },
  };
  const answer = await assembler.assemble(request, serviceFor(adaptor)).catch((error: unknown) => {
    if (isUnavailable(error)) throw error;
    return undefined;
  });
  for (const { uuid, data, provenance = {} } of answer?.assembledDataRecords ?? []) {
    const held = isJsonObject(data) ? await bySource(view, data, provenance) : [];
    if (held.length > 0) found.set(uuid, held);
  }
  return found;
};
