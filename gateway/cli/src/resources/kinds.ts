import { usageFailure } from '../failure.js';
import type { Hub } from '../hub.js';
import { eachOf, Names, textOf, type Named, type Resource, type ZoneThingKind } from './names.js';
import { Specs } from './to-spec.js';

/** A resource that `get` shows, with the spec of its document. */
export interface Shown extends Named {
  spec(): Promise<Resource>;
}

/** Reads resources of the service as the kinds of documents. */
export interface Kind {
  readonly kind: string;
  /** Members that the table shows after the name. */
  readonly columns: readonly string[];
  /** @throws Failure when the user may not list any */
  list(reading: Reading): Promise<readonly Shown[]>;
  /** Finds one without reading all others. */
  find?(reading: Reading, name: string): Promise<Shown>;
}

/** The service, and the names and specs that were read from it. */
export interface Reading {
  readonly hub: Hub;
  readonly names: Names;
  readonly specs: Specs;
}

export const openReading = (hub: Hub): Reading => {
  const names = new Names(hub);
  return { hub, names, specs: new Specs(hub, names) };
};

const uuidOf = ({ resource }: Named): string => textOf(resource['uuid']);

const shown = ({ specs }: Reading, named: Named, leftOut: readonly string[]): Shown => ({
  ...named,
  spec: () => specs.of(named.resource, leftOut),
});

/** Members of an adaptor that it reports itself, or that follow from others. */
const reportedByAdaptor = ['name', 'adaptorType', 'state', 'stateMessage', 'discovery', 'verified', 'linkageCount'];

const showAdaptor = (reading: Reading, named: Named): Shown => ({
  ...named,
  spec: async () => {
    const { resource } = named;
    const type = resource['adaptorType'] as Resource | undefined;
    return {
      ...(await reading.specs.of(resource, reportedByAdaptor)),
      ...(type === undefined ? {} : { adaptorType: textOf(type['name']) }),
    };
  },
});

const showRole = (reading: Reading, named: Named): Shown => ({
  ...named,
  spec: async () => ({
    ...(await reading.specs.of(named.resource, ['name', 'permissions'])),
    permissions: await Promise.all(
      (named.resource['permissions'] as readonly Resource[]).map((each) => reading.specs.permission(each)),
    ),
  }),
});

const showThing: Readonly<Record<ZoneThingKind, (reading: Reading, named: Named) => Shown>> = {
  Adaptor: showAdaptor,
  Role: showRole,
  Group: (reading, named) => shown(reading, named, ['name']),
  User: (reading, named) => shown(reading, named, ['username']),
};

const zoneThing = (kind: ZoneThingKind, columns: readonly string[]): Kind => ({
  kind,
  columns,
  list: async (reading) => (await reading.names.things(kind)).map((named) => showThing[kind](reading, named)),
  find: async (reading, name) => showThing[kind](reading, await reading.names.thing(kind, name)),
});

const withMembers = async (specs: Specs, elements: readonly Resource[]): Promise<readonly Resource[]> =>
  eachOf(elements, (each) => specs.of(each));

/** Entries of a chain, each with the records that it is restricted to. */
const entriesOf = async (reading: Reading, path: string, elements: readonly Resource[], hasRecords: boolean) =>
  eachOf(elements, async (entry) => {
    const spec = await reading.specs.of(entry);
    if (!hasRecords) return spec;
    const records = await reading.hub.list<Resource>(`${path}/${textOf(entry['uuid'])}/drs`);
    if (records.length === 0) return spec;
    return { ...spec, drs: await eachOf(records, (record) => reading.specs.recordReference(record)) };
  });

/** A list of a zone that is one document, such as its inbound chain. Zones without an element have no document. */
const zoneList = (kind: string, segment: string, member: 'entries' | 'preferences'): Kind => {
  const load = async (reading: Reading, zone: Named): Promise<Shown> => {
    const path = `/zones/${uuidOf(zone)}/${segment}`;
    const elements = await reading.hub.list<Resource>(path);
    return {
      name: zone.name,
      resource: { zoneUuid: uuidOf(zone), [member]: elements },
      spec: async () => ({
        [member]:
          member === 'entries'
            ? await entriesOf(reading, path, elements, true)
            : await withMembers(reading.specs, elements),
      }),
    };
  };
  return {
    kind,
    columns: [member],
    list: async (reading) =>
      (await reading.names.ofZones((zone) => load(reading, zone))).filter(
        ({ resource }) => (resource[member] as readonly Resource[]).length > 0,
      ),
    find: async (reading, name) => load(reading, await reading.names.zone(name)),
  };
};

const operationalAcls: Kind = {
  kind: 'OperationalAcls',
  columns: ['entries'],
  list: async (reading) => {
    const path = '/operational-acls/entries';
    const entries = await reading.hub.list<Resource>(path);
    if (entries.length === 0) return [];
    const spec = async (): Promise<Resource> => ({ entries: await entriesOf(reading, path, entries, false) });
    return [{ name: 'operational', resource: { entries }, spec }];
  },
};

const dataAccessRules: Kind = {
  kind: 'DataAccessRules',
  columns: ['rules'],
  list: async (reading) => {
    const all = await eachOf(await reading.names.things('Role'), async ({ name, resource }): Promise<Shown[]> => {
      const [zoneUuid, roleUuid] = [textOf(resource['zoneUuid']), textOf(resource['uuid'])];
      const rules = await reading.hub.list<Resource>(`/zones/${zoneUuid}/roles/${roleUuid}/data-access-rules`);
      if (rules.length === 0) return [];
      return [
        {
          name,
          resource: { zoneUuid, roleUuid, rules },
          spec: async () => ({ rules: await withRuleZones(reading, rules) }),
        },
      ];
    });
    return all.flat();
  },
};

/** The zone of a rule is a selector, not the zone that the rule belongs to. */
const withRuleZones = (reading: Reading, rules: readonly Resource[]): Promise<readonly Resource[]> =>
  eachOf(rules, async (rule) => ({
    ...(await reading.specs.of(rule)),
    zone:
      typeof rule['zoneUuid'] === 'string' ? await reading.names.nameOf('Zone', rule['zoneUuid']) : rule['zoneUuid'],
  }));

/** Members of a notification that the service reports. */
const reportedOfNotification = [
  'notificationId',
  'callback',
  'refusedEvents',
  'secret',
  'status',
  'lastDelivery',
  'lastError',
  'waitingMessages',
  'nextAttempt',
  'subscriptions',
];

const notifications: Kind = {
  kind: 'Notification',
  columns: ['status'],
  list: async (reading) =>
    (await reading.hub.list<Resource>('/notifications', 'filters=type:WEB_HOOK')).map((resource) =>
      shown(reading, { name: textOf(resource['callback']), resource }, reportedOfNotification),
    ),
};

/** The zone that a type or domain belongs to is a member of its document. */
const withOwner = (reading: Reading, named: Named, leftOut: readonly string[]): Shown => ({
  ...named,
  spec: async () => ({
    ...(await reading.specs.of(named.resource, leftOut)),
    zone:
      typeof named.resource['zoneUuid'] === 'string'
        ? await reading.names.nameOf('Zone', named.resource['zoneUuid'])
        : null,
  }),
});

/** Members of a domain that follow from its versions. */
const derivedOfDomain = ['name', 'defaultVersion', 'defaultVersionNumber', 'versionCount', 'versions'];

/** All kinds, in the order in which documents depend on each other. */
export const kinds: readonly Kind[] = [
  {
    kind: 'Zone',
    columns: ['active', 'description'],
    list: async (reading) => (await reading.names.zones()).map((named) => shown(reading, named, ['name'])),
  },
  {
    kind: 'AdaptorType',
    columns: ['version', 'description'],
    list: async (reading) => (await reading.names.adaptorTypes()).map((named) => withOwner(reading, named, ['name'])),
  },
  {
    kind: 'Domain',
    columns: ['domainType', 'active', 'description'],
    list: async (reading) => (await reading.names.domains()).map((named) => withOwner(reading, named, derivedOfDomain)),
  },
  {
    kind: 'DomainVersion',
    columns: ['active', 'drKeyProperties', 'description'],
    list: async (reading) =>
      (await reading.names.versions()).map((named) => shown(reading, named, ['domain', 'versionNumber', 'active'])),
  },
  zoneThing('Adaptor', ['state', 'active', 'description']),
  zoneList('Preferences', 'settings/domain-version-adaptor-preferences', 'preferences'),
  zoneList('InboundAcls', 'inbound-acls', 'entries'),
  zoneList('OutboundAcls', 'outbound-acls', 'entries'),
  operationalAcls,
  zoneThing('Role', ['managed', 'description']),
  zoneThing('Group', ['description']),
  zoneThing('User', ['name', 'email', 'serviceAccount', 'active']),
  dataAccessRules,
  notifications,
];

/** The kind of a word in any case, with or without an s at its end. @throws Failure 2 */
export const requireKind = (word: string): Kind => {
  const bare = (text: string): string => text.toLowerCase().replace(/s$/, '');
  const found = kinds.find(({ kind }) => bare(kind) === bare(word));
  if (found === undefined)
    throw usageFailure(`${word} is not a kind: use one of ${kinds.map(({ kind }) => kind).join(', ')}`);
  return found;
};
