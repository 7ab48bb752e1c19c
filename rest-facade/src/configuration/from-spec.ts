import { isJsonObject, isUuid, stringifyJson, type JsonObject, type JsonValue } from '@fds/json';
import { decodedSegment, segmentOf, textOf, type Named, type Resource, type ZoneThingKind } from './names.js';
import type { Reading } from './kinds.js';
import { isRefused, type RefusalCause } from './rest-client.js';

type ReferenceKind =
  'Zone' | 'Adaptor' | 'Domain' | 'DomainVersion' | 'AdaptorType' | 'Role' | 'Group' | 'Person' | 'Dr';

interface ReferenceMember {
  readonly kind: ReferenceKind;
  /** The member of the REST resource. */
  readonly member: string;
}

const one = (kind: ReferenceKind, ...names: readonly string[]): readonly (readonly [string, ReferenceMember])[] =>
  names.map((name) => [name, { kind, member: `${name}Uuid` }]);

/** Members of documents that refer by name: `xUuid(s)` of a REST resource is `x(s)`. */
const referenceMembers: ReadonlyMap<string, ReferenceMember> = new Map([
  ...one('Zone', 'zone', 'parentZone', 'sourceZone', 'destinationZone'),
  ...one('Adaptor', 'adaptor', 'sourceAdaptor', 'destinationAdaptor'),
  ...one('Domain', 'domain'),
  ...one('DomainVersion', 'domainVersion', 'defaultVersion'),
  ...one('AdaptorType', 'adaptorType'),
  ['roles', { kind: 'Role', member: 'roleUuids' }],
  ['groups', { kind: 'Group', member: 'groupUuids' }],
  ['secretZones', { kind: 'Zone', member: 'secretZones' }],
  ['adminUsers', { kind: 'Person', member: 'adminUserUuids' }],
  ['dataStewardUsers', { kind: 'Person', member: 'dataStewardUserUuids' }],
  ['drs', { kind: 'Dr', member: 'drUuids' }],
]);

/** The member of a document for a member of a REST body, as refusals name it. */
export const specMemberOf = (restMember: string): string =>
  [...referenceMembers].find(([, { member }]) => member === restMember)?.[0] ?? restMember;

/** A reference that names nothing. */
class UnknownReference extends Error {}

const splitName = (name: string): readonly [zone: string, own: string] => {
  const end = name.lastIndexOf('/');
  return end < 1 ? ['', name] : [name.slice(0, end), name.slice(end + 1)];
};

/** One spelling of a path: `%2f` is `%2F`. */
const spelled = (path: string): string =>
  path
    .split('/')
    .map((each) => segmentOf(decodedSegment(each)))
    .join('/');

/** Finds the resources that names of documents refer to. */
export class References {
  /** Paths of zones that were moved by this plan, with the uuids of the zones. */
  readonly movedZones = new Map<string, string>();

  constructor(readonly reading: Reading) {}

  async zone(path: string): Promise<Named | undefined> {
    const zones = await this.reading.names.zones();
    const moved = this.movedZones.get(spelled(path));
    return zones.find(({ name, resource }) =>
      moved === undefined ? name === spelled(path) : resource['uuid'] === moved,
    );
  }

  /** The zone of a name such as `Root/Sales/crm`, and the own name in it. */
  async place(name: string): Promise<{ readonly zone: Named; readonly own: string } | undefined> {
    const [path, own] = splitName(name);
    const zone = await this.zone(path);
    return zone === undefined ? undefined : { zone, own: decodedSegment(own) };
  }

  async thing(kind: ZoneThingKind, name: string): Promise<Named | undefined> {
    const place = await this.place(name);
    if (place === undefined) return undefined;
    const { zone, own } = place;
    try {
      const wanted = `${zone.name}/${segmentOf(own)}`;
      return (await this.reading.names.thingsOf(kind, zone)).find((each) => each.name === wanted);
    } catch (error) {
      if (isRefused(error, 403)) return undefined;
      throw error;
    }
  }

  async domain(name: string): Promise<Named | undefined> {
    return (await this.reading.names.domains()).find((each) => each.name.toLowerCase() === name.toLowerCase());
  }

  async version(name: string): Promise<Named | undefined> {
    const [, domainName = '', number = ''] = /^(.+):v(\d+)$/.exec(name) ?? [];
    const domain = await this.domain(domainName);
    if (domain === undefined) return undefined;
    return (await this.reading.names.versionsOf(domain)).find(({ name: each }) => each.endsWith(`:v${Number(number)}`));
  }

  async find(kind: Exclude<ReferenceKind, 'Dr' | 'Person'>, name: string): Promise<Named | undefined> {
    switch (kind) {
      case 'Zone':
        return this.zone(name);
      case 'Domain':
        return this.domain(name);
      case 'DomainVersion':
        return this.version(name);
      case 'AdaptorType':
        return (await this.reading.names.adaptorTypes()).find((each) => each.name === name);
      default:
        return this.thing(kind, name);
    }
  }

  /** The record of `{domainVersion, drKey}`. */
  private async record(value: JsonObject): Promise<string | undefined> {
    const { domainVersion, drKey } = value;
    const version = await this.version(textOf(domainVersion));
    if (version === undefined || !isJsonObject(drKey)) return undefined;
    const [domain = '', number = ''] = version.name.split(/:v(?=\d+$)/);
    const query = Object.entries(drKey)
      .map(([name, member]) => `${name}:${JSON.stringify(typeof member === 'string' ? member : stringifyJson(member))}`)
      .join(' AND ');
    const filters = `version:${number}`;
    const found = await this.reading.hub
      .list<Resource>(
        '/drs',
        `name=${encodeURIComponent(domain)}&filters=${filters}&query=${encodeURIComponent(query)}`,
      )
      .catch((error: unknown) => {
        if (isRefused(error, 400) || isRefused(error, 403) || isRefused(error, 404)) return [];
        throw error;
      });
    const uuids = new Set(found.map((each) => textOf(each['uuid'])));
    return uuids.size === 1 ? [...uuids][0] : undefined;
  }

  /** @throws UnknownReference */
  private async uuidOf(kind: ReferenceKind, value: JsonValue): Promise<JsonValue> {
    if (value === null || (typeof value === 'string' && isUuid(value))) return value;
    let found: string | undefined;
    if (kind === 'Dr') found = isJsonObject(value) ? await this.record(value) : undefined;
    else if (typeof value === 'string') {
      const named = await this.find(kind === 'Person' ? ('User' as never) : kind, value);
      found = named === undefined ? undefined : textOf(named.resource[kind === 'Person' ? 'userUuid' : 'uuid']);
    }
    if (found !== undefined) return found;
    const shown = typeof value === 'string' ? value : JSON.stringify(value);
    throw new UnknownReference(`there is no ${kind === 'Dr' ? 'record' : kind} ${shown}`);
  }

  /**
   * Members of a REST body for members of a document.
   *
   * @param at pointer to the members
   */
  async toBody(spec: JsonObject, at: string, faults: RefusalCause[]): Promise<Record<string, JsonValue>> {
    const body: Record<string, JsonValue> = {};
    for (const [name, value] of Object.entries(spec)) {
      const reference = referenceMembers.get(name);
      const isPermissions = name === 'permissions' && Array.isArray(value);
      if (reference === undefined && !isPermissions) {
        body[name] = value as JsonValue;
        continue;
      }
      const found: JsonValue[] = [];
      for (const [place, element] of (Array.isArray(value) ? (value as JsonValue[]) : [value as JsonValue]).entries()) {
        try {
          found.push(await (reference === undefined ? this.permission(element) : this.uuidOf(reference.kind, element)));
        } catch (error) {
          if (!(error instanceof UnknownReference)) throw error;
          const pointer = `${at}/${name}${Array.isArray(value) ? `/${place}` : ''}`;
          faults.push({ pointer, code: 'UNKNOWN_REFERENCE', detail: error.message });
        }
      }
      body[reference?.member ?? name] = Array.isArray(value) ? found : (found[0] ?? null);
    }
    return body;
  }

  /** A permission whose zone is a percent-encoded path. @throws UnknownReference */
  private async permission(value: JsonValue): Promise<JsonValue> {
    if (!isJsonObject(value) || typeof value['resource'] !== 'string') return value;
    const { resource } = value;
    const [, head = '', segment = '', tail = ''] = /^((?:\/api)?\/zones\/)([^/]+)(.*)$/.exec(resource) ?? [];
    if (segment === '' || segment === '*' || segment === '?' || isUuid(segment)) return value;
    const zone = await this.zone(decodeSafely(segment));
    if (zone === undefined) throw new UnknownReference(`there is no Zone ${decodeSafely(segment)}`);
    return { ...value, resource: `${head}${textOf(zone.resource['uuid'])}${tail}` };
  }
}

const decodeSafely = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};
