import { eachOf, Names, textOf, type Named, type Resource, type ZoneThingKind } from './names.js';
import type { RestReader } from './rest-client.js';
import { Specs } from './to-spec.js';

/** A resource that `get` shows, with the spec of its document. */
export interface Shown extends Named {
  spec(): Promise<Resource>;
}

/** An element of a list that is one document, such as an entry of a chain. */
export interface ShownElement {
  readonly resource: Resource;
  readonly spec: Resource;
}

/** Reads resources of the service as the kinds of documents. */
export interface Kind {
  readonly kind: string;
  /** Members that the table shows after the name. */
  readonly columns: readonly string[];
  /** @throws Refused when the user may not list any */
  list(reading: Reading): Promise<readonly Shown[]>;
  /** Finds one without reading all others. */
  find?(reading: Reading, name: string): Promise<Shown>;
}

/** The service, and the names and specs that were read from it. */
export interface Reading {
  readonly hub: RestReader;
  readonly names: Names;
  readonly specs: Specs;
}

export const openReading = (hub: RestReader): Reading => {
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

/** Reads one element of a list as its member of the document. */
type ShowElement = (reading: Reading, path: string, element: Resource) => Promise<Resource>;

const plainElement: ShowElement = (reading, _path, element) => reading.specs.of(element);

/** An entry of a zone's chain, with the records that it is restricted to. */
const showEntry: ShowElement = async (reading, path, entry) => {
  const spec = await reading.specs.of(entry);
  const records = await reading.hub.list<Resource>(`${path}/${textOf(entry['uuid'])}/drs`);
  if (records.length === 0) return spec;
  return { ...spec, drs: await eachOf(records, (record) => reading.specs.recordReference(record)) };
};

/** The zone of a rule is a selector, not the zone that the rule belongs to. */
const showRule: ShowElement = async (reading, _path, rule) => ({
  ...(await reading.specs.of(rule)),
  zone: typeof rule['zoneUuid'] === 'string' ? await reading.names.nameOf('Zone', rule['zoneUuid']) : rule['zoneUuid'],
});

/** Lists that are one document: the member with their elements, and how an element is shown. */
const listKinds = {
  Preferences: { member: 'preferences', show: plainElement },
  InboundAcls: { member: 'entries', show: showEntry },
  OutboundAcls: { member: 'entries', show: showEntry },
  OperationalAcls: { member: 'entries', show: plainElement },
  DataAccessRules: { member: 'rules', show: showRule },
} as const;

export type ListKind = keyof typeof listKinds;

export const memberOfList = (kind: ListKind): string => listKinds[kind].member;

/** Path of a list below the zone, or below the role for data access rules. */
export const listPath = (kind: ListKind, zoneUuid: string, roleUuid = ''): string => {
  switch (kind) {
    case 'Preferences':
      return `/zones/${zoneUuid}/settings/domain-version-adaptor-preferences`;
    case 'InboundAcls':
      return `/zones/${zoneUuid}/inbound-acls`;
    case 'OutboundAcls':
      return `/zones/${zoneUuid}/outbound-acls`;
    case 'OperationalAcls':
      return '/operational-acls/entries';
    case 'DataAccessRules':
      return `/zones/${zoneUuid}/roles/${roleUuid}/data-access-rules`;
  }
};

const showElements = (
  reading: Reading,
  kind: ListKind,
  path: string,
  elements: readonly Resource[],
): Promise<readonly Resource[]> => eachOf(elements, (element) => listKinds[kind].show(reading, path, element));

/** The elements of a list, front first. */
export const elementsOf = async (reading: Reading, kind: ListKind, path: string): Promise<readonly ShownElement[]> => {
  const elements = await reading.hub.list<Resource>(path);
  const specs = await showElements(reading, kind, path, elements);
  return elements.map((resource, at) => ({ resource, spec: specs[at] as Resource }));
};

/** A list of a zone that is one document, such as its inbound chain. Zones without an element have no document. */
const zoneList = (kind: Exclude<ListKind, 'OperationalAcls' | 'DataAccessRules'>): Kind => {
  const { member } = listKinds[kind];
  const load = async (reading: Reading, zone: Named): Promise<Shown> => {
    const path = listPath(kind, uuidOf(zone));
    const elements = await reading.hub.list<Resource>(path);
    return {
      name: zone.name,
      resource: { zoneUuid: uuidOf(zone), [member]: elements },
      spec: async () => ({ [member]: await showElements(reading, kind, path, elements) }),
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

/** Name of the document with the operational chain. */
export const operationalName = 'operational';

const operationalAcls: Kind = {
  kind: 'OperationalAcls',
  columns: ['entries'],
  list: async (reading) => {
    const path = listPath('OperationalAcls', '');
    const entries = await reading.hub.list<Resource>(path);
    if (entries.length === 0) return [];
    const spec = async (): Promise<Resource> => ({
      entries: await showElements(reading, 'OperationalAcls', path, entries),
    });
    return [{ name: operationalName, resource: { entries }, spec }];
  },
};

const dataAccessRules: Kind = {
  kind: 'DataAccessRules',
  columns: ['rules'],
  list: async (reading) => {
    const all = await eachOf(await reading.names.things('Role'), async ({ name, resource }): Promise<Shown[]> => {
      const [zoneUuid, roleUuid] = [textOf(resource['zoneUuid']), textOf(resource['uuid'])];
      const path = listPath('DataAccessRules', zoneUuid, roleUuid);
      const rules = await reading.hub.list<Resource>(path);
      if (rules.length === 0) return [];
      return [
        {
          name,
          resource: { zoneUuid, roleUuid, rules },
          spec: async () => ({ rules: await showElements(reading, 'DataAccessRules', path, rules) }),
        },
      ];
    });
    return all.flat();
  },
};

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

/** Members of a version that its name or its domain gives. */
const derivedOfVersion = ['domain', 'versionNumber', 'active'];

/** Kinds whose documents are one resource each, with how it is shown. */
const singleKinds = {
  Zone: (reading, named) => shown(reading, named, ['name']),
  AdaptorType: (reading, named) => withOwner(reading, named, ['name']),
  Domain: (reading, named) => withOwner(reading, named, derivedOfDomain),
  DomainVersion: (reading, named) => shown(reading, named, derivedOfVersion),
  Notification: (reading, named) => shown(reading, named, reportedOfNotification),
  ...showThing,
} as const satisfies Readonly<Record<string, (reading: Reading, named: Named) => Shown>>;

export type SingleKind = keyof typeof singleKinds;

/** The resource as its document shows it. */
export const showSingle = (reading: Reading, kind: SingleKind, named: Named): Shown =>
  singleKinds[kind](reading, named);

/** The caller's webhooks, named by their callbacks. */
export const webhooksOf = async ({ hub }: Reading): Promise<readonly Named[]> =>
  (await hub.list<Resource>('/notifications', 'filters=type:WEB_HOOK')).map((resource) => ({
    name: textOf(resource['callback']),
    resource,
  }));

const single = (
  kind: SingleKind,
  columns: readonly string[],
  load: (reading: Reading) => Promise<readonly Named[]>,
): Kind => ({
  kind,
  columns,
  list: async (reading) => (await load(reading)).map((named) => showSingle(reading, kind, named)),
});

/** All kinds, in the order in which documents depend on each other. */
export const kinds: readonly Kind[] = [
  single('Zone', ['active', 'description'], ({ names }) => names.zones()),
  single('AdaptorType', ['version', 'description'], ({ names }) => names.adaptorTypes()),
  single('Domain', ['domainType', 'active', 'description'], ({ names }) => names.domains()),
  single('DomainVersion', ['active', 'drKeyProperties', 'description'], ({ names }) => names.versions()),
  zoneThing('Adaptor', ['state', 'active', 'description']),
  zoneList('Preferences'),
  zoneList('InboundAcls'),
  zoneList('OutboundAcls'),
  operationalAcls,
  zoneThing('Role', ['managed', 'description']),
  zoneThing('Group', ['description']),
  zoneThing('User', ['name', 'email', 'serviceAccount', 'active']),
  dataAccessRules,
  single('Notification', ['status'], webhooksOf),
];
