import { textOf, type Names, type Resource } from './names.js';
import { isRefused, type RestReader } from './rest-client.js';

/** Members that the service assigns: documents leave them out. */
const assigned: ReadonlySet<string> = new Set([
  'uuid',
  'zoneUuid',
  'userUuid',
  'position',
  'dateCreated',
  'lastUpdated',
  'changeVersion',
  'createdByUuid',
  'warnings',
]);

const referenceKinds = {
  Zone: 'Zone',
  Adaptor: 'Adaptor',
  Domain: 'Domain',
  DomainVersion: 'DomainVersion',
  Version: 'DomainVersion',
  AdaptorType: 'AdaptorType',
  Role: 'Role',
  Group: 'Group',
} as const;

/** The kind that a member such as `sourceZoneUuid` or `roleUuids` refers to: the longest one that its name ends with. */
const kindOfMember = (stem: string): (typeof referenceKinds)[keyof typeof referenceKinds] | undefined => {
  const upper = stem.charAt(0).toUpperCase() + stem.slice(1);
  const ends = Object.entries(referenceKinds).filter(([end]) => upper.endsWith(end));
  return ends.toSorted(([a], [b]) => b.length - a.length)[0]?.[1];
};

const isObject = (value: unknown): value is Resource =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.getPrototypeOf(value) === Object.prototype;

/** Secrets never leave the service: answers show them as `***`, and documents leave them out. */
const withoutSecrets = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => (member === '***' ? [] : [[name, withoutSecrets(member)]])),
  );
};

/** Turns members of REST answers into members of documents: references by uuid become references by name. */
export class Specs {
  constructor(
    private readonly hub: RestReader,
    private readonly names: Names,
  ) {}

  /** A record by version and DR Key; the uuid where the user may not read it. */
  private async recordOf(drUuid: string): Promise<unknown> {
    try {
      return await this.recordReference(await this.hub.read<Resource>(`/drs/${drUuid}?fields=domainVersionUuid,drKey`));
    } catch (error) {
      if (isRefused(error, 403) || isRefused(error, 404)) return drUuid;
      throw error;
    }
  }

  async recordReference(record: Resource): Promise<Resource> {
    return {
      domainVersion: await this.names.nameOf('DomainVersion', textOf(record['domainVersionUuid'])),
      drKey: record['drKey'],
    };
  }

  private async referencesOf(stem: string, value: unknown): Promise<unknown> {
    const one = async (uuid: unknown): Promise<unknown> => {
      if (typeof uuid !== 'string') return uuid;
      if (stem === 'dr') return this.recordOf(uuid);
      const kind = kindOfMember(stem);
      return kind === undefined ? uuid : this.names.nameOf(kind, uuid);
    };
    return Array.isArray(value) ? Promise.all(value.map(one)) : one(value);
  }

  /**
   * The members of a resource without those that the service assigns.
   *
   * @param leftOut further members without a place in the document
   */
  async of(resource: Resource, leftOut: readonly string[] = []): Promise<Resource> {
    const members = await Promise.all(
      Object.entries(resource).map(async ([name, value]): Promise<readonly [string, unknown][]> => {
        if (assigned.has(name) || leftOut.includes(name) || name.startsWith('_') || value === '***') return [];
        const [, stem, plural] = /^(.+)Uuid(s?)$/.exec(name) ?? [];
        if (stem !== undefined) return [[`${stem}${plural ?? ''}`, await this.referencesOf(stem, value)]];
        // `secretZones` are uuids, too
        if (name === 'secretZones') return [[name, await this.referencesOf('zone', value)]];
        return [[name, withoutSecrets(value)]];
      }),
    );
    return Object.fromEntries(members.flat());
  }

  /** A permission's path with the zone as a percent-encoded path. */
  async permission({ action, resource }: Resource): Promise<Resource> {
    const zones = await this.names.zones();
    const path = textOf(resource).replaceAll(/(?<=\/zones\/)[0-9a-f-]{36}(?=\/|$)/gi, (uuid) => {
      const zone = zones.find((each) => each.resource['uuid'] === uuid);
      return zone === undefined ? uuid : encodeURIComponent(zone.name);
    });
    return { action, resource: path };
  }
}
