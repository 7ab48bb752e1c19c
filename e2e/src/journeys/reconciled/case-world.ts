import type { JsonObject } from '@fds/adaptor-sdk';
import { requireStatus, createAdaptor, type CreatedAdaptor } from '../../harness/catalogue.js';
import { getToken } from '../../harness/client.js';
import type { Leftovers } from '../../harness/leftovers.js';
import { doorOf, openDoors, type Door, type Doors, type Resource } from '../../doors/open-doors.js';
import type { CaseState, HeldRow } from './oracle.js';
import {
  type Effect,
  modelProperties,
  type PlannedCase,
  type PlannedEntry,
  zoneCount,
  zoneOfAdaptor,
} from './plan-case.js';
import { connectTableClient, type TableClient } from './table-client.js';

/** A service with the adaptors of all cases. */
export interface CaseWorld {
  readonly doors: Doors;
  readonly zones: readonly string[];
  readonly pool: readonly TableClient[];
  /** Callers whose data access rules hide the property `a`, the second adaptor, and all values. */
  readonly readers: Readonly<Record<ReaderName, Door>>;
}
type ReaderName = 'WITHOUT_A' | 'WITHOUT_SECOND' | 'WITHOUT_VALUES';

const addReader = async (
  { admin, dgs, service, root }: Doors,
  name: ReaderName,
  { rule, sees }: { readonly rule: object | undefined; readonly sees: readonly string[] },
): Promise<Door> => {
  const user = requireStatus(
    await admin.rest<Resource & { readonly clientId: string; readonly clientSecret: string }>(
      'POST',
      `/zones/${root}/users`,
      { username: name.toLowerCase(), serviceAccount: true },
    ),
    201,
  ).body;
  for (const resource of sees) {
    const grant = { type: 'ALLOW', action: 'GET', resource, holderType: 'USER', holderUuid: user.uuid };
    requireStatus(await dgs.rest('POST', `/zones/${root}/permissions`, grant), 201);
  }
  if (rule !== undefined) {
    const role = requireStatus(await admin.rest('POST', `/zones/${root}/roles`, { name }), 201).body;
    requireStatus(await admin.rest('POST', `/zones/${root}/roles/${role.uuid}/data-access-rules`, rule), 201);
    requireStatus(await admin.rest('POST', `/zones/${root}/roles/${role.uuid}/users`, [user.uuid]), 201);
  }
  const { clientId: username, clientSecret: password } = user;
  return doorOf(service, await getToken({ baseUrl: service.baseUrl, username, password }));
};

/** Starts a service with three zones and five connected adaptors without capabilities. */
export const openCaseWorld = async (leftovers: Leftovers): Promise<CaseWorld> => {
  const doors = await openDoors(leftovers);
  const { admin, dgs, root, service } = doors;
  const { users } = requireStatus(
    await admin.rest<{ readonly users: readonly (Resource & { readonly username: string })[] }>(
      'GET',
      `/zones/${root}/users`,
    ),
    200,
  ).body;
  const steward = users.find(({ username }) => username === 'dgs')?.uuid;
  for (const resource of [`/zones/${root}/permissions`, `/zones/${root}/roles/*`]) {
    const grant = { type: 'ALLOW', action: 'ALL', resource, holderType: 'USER', holderUuid: steward };
    requireStatus(await admin.rest('POST', `/zones/${root}/permissions`, grant), 201);
  }
  const zones = [root];
  while (zones.length < zoneCount) {
    const name = `Zone ${zones.length}`;
    zones.push(requireStatus(await admin.rest('POST', '/zones', { name, parentZoneUuid: root }), 201).body.uuid);
  }
  const pool: TableClient[] = [];
  for (const [place, zone] of zoneOfAdaptor.entries()) {
    const created: CreatedAdaptor = await createAdaptor(dgs, zones[zone] ?? '', {
      name: `p${place}`,
      capabilities: [],
    });
    pool.push(await connectTableClient(leftovers, service.busUrl, created));
  }
  const adaptors = zones.map((zone) => `/zones/${zone}/adaptors/*`);
  const every = ['/drs/*', ...adaptors];
  const readers = {
    WITHOUT_A: await addReader(doors, 'WITHOUT_A', { rule: { effect: 'DENY', properties: ['a'] }, sees: every }),
    WITHOUT_SECOND: await addReader(doors, 'WITHOUT_SECOND', {
      rule: { effect: 'DENY', adaptorUuid: pool[1]?.uuid },
      sees: every,
    }),
    WITHOUT_VALUES: await addReader(doors, 'WITHOUT_VALUES', { rule: undefined, sees: adaptors }),
  };
  return { doors, zones, pool, readers };
};

export const createVersions = async (
  { doors: { dgs } }: CaseWorld,
  cases: readonly PlannedCase[],
): Promise<Map<number, string>> => {
  const versions = new Map<number, string>();
  for (const { seed, domain: name, isStored, groups } of cases) {
    const domainType = isStored ? 'SERVICE_DATA_STORE' : 'FEDERATED';
    const { uuid } = requireStatus(await dgs.rest('POST', '/domains', { name, domainType }), 201).body;
    const modelSchema = { properties: modelProperties, ...(groups.length === 0 ? {} : { propertyGroups: groups }) };
    const version = { modelSchema, drKeyProperties: ['id'] };
    versions.set(seed, requireStatus(await dgs.rest('POST', `/domains/${uuid}/versions`, version), 201).body.uuid);
  }
  return versions;
};

export const pathOf = ({ zones, pool }: CaseWorld, place: number): string =>
  `/zones/${zones[zoneOfAdaptor[place] ?? 0]}/adaptors/${pool[place]?.uuid}`;

export const giveCapabilities = async (world: CaseWorld, cases: readonly PlannedCase[]): Promise<void> => {
  for (const place of world.pool.keys()) {
    const path = pathOf(world, place);
    const { changeVersion } = requireStatus(await world.doors.dgs.rest('GET', path), 200).body;
    const capabilities = cases.flatMap(({ domain: domainName, actions }) =>
      (actions.get(place) ?? []).map((action) => ({
        domainName,
        versionNumber: 1,
        action: action.replace(' OUT', ''),
        direction: action.endsWith(' OUT') ? 'OUT' : null,
      })),
    );
    requireStatus(await world.doors.dgs.rest('PATCH', path, { changeVersion, capabilities }), 200);
  }
};

export const entryBody = ({ zones, pool }: CaseWorld, domainVersionUuid: string, entry: PlannedEntry): object => {
  const { chain, otherZone, sourceAdaptor, destinationAdaptor, properties, get, post, put } = entry;
  const uuidOf = (place: number | null): string | null => (place === null ? null : (pool[place]?.uuid ?? null));
  const other = otherZone === null ? null : (zones[otherZone] ?? null);
  const effects: Readonly<Record<string, Effect>> = { get, post, put };
  return {
    name: 'of a case',
    domainVersionUuid,
    ...(chain === 'OUTBOUND' ? { destinationZoneUuid: other } : { sourceZoneUuid: other }),
    sourceAdaptorUuid: uuidOf(sourceAdaptor),
    destinationAdaptorUuid: uuidOf(destinationAdaptor),
    ...(properties.length === 0 ? {} : { properties }),
    ...effects,
  };
};

/** The reports of the cases, one adaptor after the other, so that their order is known. */
export const discover = async (
  world: CaseWorld,
  cases: readonly PlannedCase[],
): Promise<ReadonlyMap<number, CaseState>> => {
  const states = new Map<
    number,
    {
      rows: Map<number, Map<number, HeldRow>>;
      store: Map<number, JsonObject>;
      commits: Map<number, { by: number | null; properties: string[] | null }[]>;
    }
  >();
  for (const round of [0, 1]) {
    for (const [place, client] of world.pool.entries()) {
      for (const planned of cases) {
        const state = states.get(planned.seed) ?? { rows: new Map(), store: new Map(), commits: new Map() };
        states.set(planned.seed, state);
        const reports: JsonObject[] = [];
        for (const [id, { reports: contents, held }] of planned.rows.get(place) ?? []) {
          if (round === 1 && contents.length > 0) {
            const of = state.rows.get(id) ?? new Map<number, HeldRow>();
            state.rows.set(id, of.set(place, { held, isLinked: true }));
          }
          if (round === 1 && contents.length === 0 && held !== undefined) {
            // it counts where another adaptor has reported the record
            const of = state.rows.get(id) ?? new Map<number, HeldRow>();
            state.rows.set(id, of.set(place, { held, isLinked: false }));
          }
          const content = contents[round];
          if (content === undefined) continue;
          reports.push(content);
          const commits = state.commits.get(id) ?? [];
          if (commits.length === 0 && planned.isStored) {
            state.store.set(id, content);
            commits.push({ by: null, properties: null });
          }
          const before = contents[round - 1];
          const changed = Object.keys(content).filter((name) => content[name] !== before?.[name]);
          commits.push({ by: place, properties: before === undefined ? null : changed });
          state.commits.set(id, commits);
        }
        if (reports.length > 0) await client.report(planned.domain, reports, { discovery: true });
      }
    }
  }
  for (const planned of cases) {
    const state = states.get(planned.seed);
    for (const place of planned.adaptors) {
      const table = world.pool[place]?.table(planned.domain);
      for (const [id, { held }] of planned.rows.get(place) ?? []) {
        if (held !== undefined) table?.set(id, held);
      }
    }
    for (const id of state?.rows.keys() ?? []) if (state?.commits.get(id) === undefined) state?.rows.delete(id);
  }
  return states;
};
