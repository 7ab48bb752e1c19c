import { isRefused, Refused, type RestReader } from './rest-client.js';

/** A resource in a REST answer. */
export type Resource = Readonly<Record<string, unknown>>;

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A slash in a name is `%2F`, and a percent sign `%25`, so that a path has one meaning. */
export const segmentOf = (name: string): string => name.replaceAll('%', '%25').replaceAll('/', '%2F');

export const decodedSegment = (segment: string): string => segment.replaceAll(/%2F/gi, '/').replaceAll('%25', '%');

/** Kinds of things that belong to a zone, with the last segment of their lists and the member with their name. */
const zoneLists = {
  Adaptor: { list: 'adaptors', query: 'options=include-inactive:true', name: 'name' },
  Role: { list: 'roles', query: '', name: 'name' },
  Group: { list: 'groups', query: '', name: 'name' },
  User: { list: 'users', query: '', name: 'username' },
} as const;

export type ZoneThingKind = keyof typeof zoneLists;

/** A resource with the name that documents and commands use. */
export interface Named {
  readonly name: string;
  readonly resource: Resource;
}

const concurrency = 8;

/** Runs work for each element, several at the same time; the results have the order of the elements. */
export const eachOf = async <In, Out>(elements: readonly In[], work: (element: In) => Promise<Out>): Promise<Out[]> => {
  const results: Out[] = [];
  let next = 0;
  const run = async (): Promise<void> => {
    for (let at = next++; at < elements.length; at = next++) results[at] = await work(elements[at] as In);
  };
  await Promise.all(Array.from({ length: concurrency }, run));
  return results;
};

/**
 * The names of resources: a zone is `Root/Sales`, a thing of a zone `Root/Sales/crm`, a domain version `customer:v1`.
 * Each list is read once, when it is needed first.
 */
export class Names {
  private readonly lists = new Map<string, Promise<readonly Named[]>>();

  constructor(private readonly hub: RestReader) {}

  /** Reads a list again when it is needed next: that of a key such as `Zone`, or all. */
  forget(key?: string): void {
    if (key === undefined) this.lists.clear();
    else this.lists.delete(key);
  }

  /** Takes a resource of a list that was created or changed. */
  learn(key: string, named: Named): void {
    const known = this.lists.get(key);
    if (known === undefined) return;
    const { uuid } = named.resource;
    this.lists.set(
      key,
      known.then((list) => {
        const at = list.findIndex(({ resource }) => resource['uuid'] === uuid);
        return at < 0 ? [...list, named] : list.with(at, named);
      }),
    );
  }

  private once(key: string, read: () => Promise<readonly Named[]>): Promise<readonly Named[]> {
    const known = this.lists.get(key);
    if (known !== undefined) return known;
    const list = read();
    this.lists.set(key, list);
    return list;
  }

  /** All zones that the user may see, parents first. A zone whose parent is hidden begins a path. */
  zones(): Promise<readonly Named[]> {
    return this.once('Zone', async () => {
      const zones = await this.hub.list<Resource>('/zones');
      const byUuid = new Map(zones.map((zone) => [zone['uuid'], zone]));
      const pathOf = (zone: Resource): string => {
        const parent = byUuid.get(zone['parentZoneUuid']);
        const own = segmentOf(textOf(zone['name']));
        return parent === undefined ? own : `${pathOf(parent)}/${own}`;
      };
      return zones.map((resource) => ({ name: pathOf(resource), resource })).toSorted(byName);
    });
  }

  domains(): Promise<readonly Named[]> {
    return this.once('Domain', async () =>
      (await this.hub.list<Resource>('/domains'))
        .map((resource) => ({ name: textOf(resource['name']), resource }))
        .toSorted(byName),
    );
  }

  /** All versions of all domains, inactive ones too. */
  versions(): Promise<readonly Named[]> {
    return this.once('DomainVersion', async () => {
      const ofDomains = await eachOf(await this.domains(), (domain) => this.versionsOf(domain));
      return ofDomains.flat();
    });
  }

  versionsOf({ name, resource }: Named): Promise<readonly Named[]> {
    return this.once(`DomainVersion ${name}`, async () =>
      (await this.hub.list<Resource>(`/domains/${textOf(resource['uuid'])}/versions`))
        .toSorted((first, second) => Number(first['versionNumber']) - Number(second['versionNumber']))
        .map((version) => ({ name: `${name}:v${String(version['versionNumber'])}`, resource: version })),
    );
  }

  adaptorTypes(): Promise<readonly Named[]> {
    return this.once('AdaptorType', async () =>
      (await this.hub.list<Resource>('/adaptor-types'))
        .map((resource) => ({ name: textOf(resource['name']), resource }))
        .toSorted(byName),
    );
  }

  /** The things of a zone. @throws Refused when the user may not list them */
  thingsOf(kind: ZoneThingKind, zone: Named): Promise<readonly Named[]> {
    return this.once(`${kind} ${zone.name}`, async () => {
      const { list, query, name } = zoneLists[kind];
      return (await this.hub.list<Resource>(`/zones/${textOf(zone.resource['uuid'])}/${list}`, query))
        .map((resource) => ({ name: `${zone.name}/${segmentOf(textOf(resource[name]))}`, resource }))
        .toSorted(byName);
    });
  }

  /** The things of all zones whose things the user may list. @throws Refused when there is no such zone */
  async things(kind: ZoneThingKind): Promise<readonly Named[]> {
    return (await this.ofZones((zone) => this.thingsOf(kind, zone))).flat();
  }

  /**
   * The results of work for all zones. Zones where it is forbidden are left out.
   *
   * @throws Refused when it is forbidden in every zone
   */
  async ofZones<Result>(work: (zone: Named) => Promise<Result>): Promise<readonly Result[]> {
    let refusal: Refused | undefined;
    const results = await eachOf(await this.zones(), async (zone) => {
      try {
        return [await work(zone)];
      } catch (error) {
        if (!isRefused(error, 403)) throw error;
        refusal ??= error;
        return [];
      }
    });
    if (refusal !== undefined && results.every((each) => each.length === 0)) throw refusal;
    return results.flat();
  }

  /** @throws Refused 404 for a path that the user does not see */
  async zone(path: string): Promise<Named> {
    return requireNamed('Zone', path, await this.zones());
  }

  /** @throws Refused 404 for a name that the user does not see */
  async thing(kind: ZoneThingKind, name: string): Promise<Named> {
    const end = name.lastIndexOf('/');
    if (end < 1) throw absent(kind, `${name}: its name begins with the path of its zone, as in Root/Sales/crm`);
    const zone = await this.zone(name.slice(0, end));
    const wanted = decodedSegment(name.slice(end + 1));
    return requireNamed(kind, `${zone.name}/${segmentOf(wanted)}`, await this.thingsOf(kind, zone));
  }

  /** @throws Refused 404 for a version that the user does not see */
  async version(name: string): Promise<Named> {
    return requireNamed('DomainVersion', name, await this.versions());
  }

  /** The name of a resource by its uuid; the uuid where the user does not see the resource. */
  async nameOf(
    kind: 'Zone' | 'Domain' | 'DomainVersion' | 'AdaptorType' | ZoneThingKind,
    uuid: string,
  ): Promise<string> {
    const list = await this.listOf(kind);
    return list.find(({ resource }) => resource['uuid'] === uuid)?.name ?? uuid;
  }

  private listOf(kind: Parameters<Names['nameOf']>[0]): Promise<readonly Named[]> {
    switch (kind) {
      case 'Zone':
        return this.zones();
      case 'Domain':
        return this.domains();
      case 'DomainVersion':
        return this.versions();
      case 'AdaptorType':
        return this.adaptorTypes();
      default:
        // a reference to a thing that the user may not list stays a uuid
        return this.things(kind).catch((error: unknown) => {
          if (isRefused(error, 403)) return [];
          throw error;
        });
    }
  }
}

const byName = (a: Named, b: Named): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

const absent = (kind: string, name: string): Refused => new Refused(404, `there is no ${kind} ${name}`, 'NOT_FOUND');

/** @throws Refused 404 when no element has the name */
export const requireNamed = (kind: string, name: string, list: readonly Named[]): Named => {
  const found = list.find((each) => each.name === name);
  if (found === undefined) throw absent(kind, name);
  return found;
};
