import { isJsonObject, type JsonObject, type JsonValue } from '@fds/json';
import type { ConfigurationDocument } from './document.js';
import { showSingle, webhooksOf, type SingleKind } from './kinds.js';
import { segmentOf, textOf, type Named } from './names.js';
import {
  differing,
  givenSecrets,
  isSame,
  keepSecrets,
  withoutGiven,
  type PlannedChange,
  type Planning,
} from './plan.js';
import { Refused, type RefusalCause } from './rest-client.js';

type SingleDocument = ConfigurationDocument & { readonly kind: SingleKind };

/** Why a document has no effect yet. */
type Outcome = 'DONE' | { readonly faults: readonly RefusalCause[] };

/** Where the resource of a document is, or will be. */
interface Place {
  readonly found: Named | undefined;
  /** The list of names that has it. */
  readonly key: string;
  /** Its name once it is there. */
  readonly name: string;
  /** Path of the list that it is created in. */
  readonly list: string;
  /** Members that its name gives. */
  readonly given: JsonObject;
}

const zoneLists = { Adaptor: 'adaptors', Role: 'roles', Group: 'groups', User: 'users' } as const;

const unknown = (index: number, detail: string): Outcome => ({
  faults: [{ pointer: `/${index}/name`, code: 'UNKNOWN_REFERENCE', detail }],
});

const placeOfZone = async (planning: Planning, { index, name, spec }: SingleDocument): Promise<Place | Outcome> => {
  const { references } = planning;
  const found = await references.zone(name);
  const end = name.lastIndexOf('/');
  const own = end < 1 ? name : name.slice(end + 1);
  const given = { name: own.replaceAll(/%2F/gi, '/').replaceAll('%25', '%') };
  const key = 'Zone';
  if (found !== undefined) return { found, key, name: found.name, list: '/zones', given };
  const parentPath = spec['parentZone'];
  if (typeof parentPath === 'string') {
    // a zone that was moved before has its new path
    const moved = await references.zone(`${parentPath}/${own}`);
    if (moved !== undefined) {
      references.movedZones.set(name, textOf(moved.resource['uuid']));
      return { found: moved, key, name: moved.name, list: '/zones', given };
    }
  }
  const path = typeof parentPath === 'string' ? parentPath : end < 1 ? undefined : name.slice(0, end);
  if (path === undefined) return { found, key, name: own, list: '/zones', given };
  const parent = await references.zone(path);
  if (parent === undefined) return unknown(index, `there is no Zone ${path}`);
  const list = `/zones/${textOf(parent.resource['uuid'])}/child-zones`;
  return { found, key, name: `${parent.name}/${segmentOf(textOf(given.name))}`, list, given };
};

const placeOf = async (planning: Planning, document: SingleDocument): Promise<Place | Outcome> => {
  const { references, reading } = planning;
  const { index, kind, name } = document;
  switch (kind) {
    case 'Zone':
      return placeOfZone(planning, document);
    case 'AdaptorType':
      return { found: await references.find(kind, name), key: kind, name, list: '/adaptor-types', given: { name } };
    case 'Domain':
      return { found: await references.domain(name), key: kind, name, list: '/domains', given: { name } };
    case 'DomainVersion': {
      const [, domainName, number] = /^(.+):v([1-9]\d*)$/.exec(name) ?? [];
      if (domainName === undefined) return unknown(index, `${name} is not the name of a version, such as customer:v1`);
      const domain = await references.domain(domainName);
      if (domain === undefined) return unknown(index, `there is no Domain ${domainName}`);
      const versions = await reading.names.versionsOf(domain);
      const found = await references.version(name);
      if (found === undefined && Number(number) !== versions.length + 1)
        return unknown(index, `the next version of ${domainName} is v${versions.length + 1}, not v${number}`);
      const list = `/domains/${textOf(domain.resource['uuid'])}/versions`;
      return { found, key: `DomainVersion ${domain.name}`, name: `${domain.name}:v${number}`, list, given: {} };
    }
    case 'Notification':
      return {
        found: (await webhooksOf(reading)).find((each) => each.name === name),
        key: kind,
        name,
        list: '/notifications',
        given: { callback: name, callbackType: 'WEB_HOOK' },
      };
    default: {
      const place = await references.place(name);
      if (place === undefined) return unknown(index, `there is no Zone ${name.slice(0, name.lastIndexOf('/'))}`);
      const list = `/zones/${textOf(place.zone.resource['uuid'])}/${zoneLists[kind]}`;
      const given = kind === 'User' ? { username: place.own } : { name: place.own };
      const path = place.zone.name;
      const found = await references.thing(kind, name);
      return { found, key: `${kind} ${path}`, name: `${path}/${segmentOf(place.own)}`, list, given };
    }
  }
};

/** Members that a resource reports, and that no request sets. */
const reportedMembers: Readonly<Partial<Record<SingleKind, ReadonlySet<string>>>> = {
  Role: new Set(['managed']),
};

/** The person of a user name in another zone: a second membership is added to it. */
const personOf = async (planning: Planning, username: string): Promise<string | undefined> => {
  const users = await planning.reading.names.things('User').catch((error: unknown) => {
    if (error instanceof Refused && error.httpStatus === 403) return [];
    throw error;
  });
  const found = users.find(({ resource }) => resource['username'] === username);
  return found === undefined ? undefined : textOf(found.resource['userUuid']);
};

const specOf = async (planning: Planning, kind: SingleKind, named: Named): Promise<JsonObject> =>
  (await showSingle(planning.reading, kind, named).spec()) as JsonObject;

/** Members of the document that a request sends, without those that name or service give. */
const sent = (kind: SingleKind, spec: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(spec).filter(([name]) => reportedMembers[kind]?.has(name) !== true));

const versionOf = (resource: Readonly<Record<string, unknown>>): number | null => {
  const value = resource['changeVersion'];
  return typeof value === 'number' ? value : null;
};

/** The resource that a request answered, as its document shows it. */
const specAfter = async (
  planning: Planning,
  { kind, name: documentName }: SingleDocument,
  { key, name }: Place,
  answer: JsonObject,
): Promise<JsonObject> => {
  const { names } = planning.reading;
  if (kind === 'Notification') {
    const found = (await webhooksOf(planning.reading)).find((each) => each.name === documentName);
    return found === undefined ? {} : specOf(planning, kind, found);
  }
  const { clientId: _id, clientSecret: _secret, ...resource } = answer;
  names.learn(key, { name, resource });
  if (kind === 'DomainVersion') names.forget('DomainVersion');
  return specOf(planning, kind, { name, resource });
};

const create = async (planning: Planning, document: SingleDocument, place: Place): Promise<Outcome> => {
  const { world, references } = planning;
  const { index, kind, name, spec } = document;
  const at = `/${index}/spec`;
  const faults: RefusalCause[] = [];
  if (kind === 'Role' && spec['managed'] === true)
    return { faults: [{ pointer: `${at}/managed`, code: 'MANAGED_ROLE', detail: 'a managed role is never created' }] };
  const wanted = sent(kind, spec);
  const { defaultVersion: _later, ...now } = kind === 'Domain' ? wanted : { ...wanted, defaultVersion: undefined };
  const { parentZone: _given, ...ofZone } = now;
  const body = await references.toBody(kind === 'Zone' ? ofZone : now, at, faults);
  if (faults.length > 0) return { faults };
  const userUuid = kind === 'User' ? await personOf(planning, textOf(place.given['username'])) : undefined;
  const whole: JsonObject = { ...body, ...place.given, ...(userUuid === undefined ? {} : { userUuid }) };
  const answer = await world.write(kind === 'Notification' ? 'PUT' : 'POST', place.list, withoutUndefined(whole));
  const { clientId, clientSecret } = answer;
  if (typeof clientSecret === 'string') planning.clients.push({ kind, name, clientId: textOf(clientId), clientSecret });
  const after = await specAfter(planning, document, place, answer);
  if (kind === 'Zone') planning.createdZones.add(name);
  planning.changes.push({ action: 'CREATE', kind, name, uuid: null, before: null, after, changeVersion: null });
  return 'DONE';
};

const withoutUndefined = (body: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));

/** Kinds whose PATCH cannot say everything: the whole resource is sent. */
const replaced: ReadonlySet<SingleKind> = new Set(['DomainVersion', 'Notification']);

const itemPath = (kind: SingleKind, list: string, found: Named): string => {
  if (kind === 'Zone') return `/zones/${textOf(found.resource['uuid'])}`;
  if (kind === 'Notification') return `/notifications/${textOf(found.resource['notificationId'])}`;
  return `${list}/${textOf(found.resource['uuid'])}`;
};

const uuidOf = ({ resource }: Named): string => textOf(resource['uuid']) || textOf(resource['notificationId']);

/** Secrets that differ from those that the resource has. */
const changedSecrets = async (
  { world }: Planning,
  { kind, spec }: SingleDocument,
  { resource }: Named,
): Promise<{ readonly all: ReadonlySet<string>; readonly changed: boolean }> => {
  const given = [
    ...givenSecrets(spec, resource as JsonObject),
    ...(kind === 'User' && typeof spec['password'] === 'string' ? [['/password', spec['password']] as const] : []),
  ];
  let changed = false;
  for (const [pointer, value] of given)
    changed ||= !(await world.holdsSecret(kind, resource as JsonObject, pointer, value));
  return { all: new Set(given.map(([pointer]) => pointer)), changed };
};

const update = async (planning: Planning, document: SingleDocument, place: Place, found: Named): Promise<Outcome> => {
  const { world, references } = planning;
  const { index, kind, name, spec } = document;
  const at = `/${index}/spec`;
  const before = await specOf(planning, kind, found);
  planning.compared.push([index, planning.shownUuid(name, uuidOf(found)), before]);
  const secrets = await changedSecrets(planning, document, found);
  const wanted = withoutGiven(sent(kind, spec), secrets.all) as JsonObject;
  const { defaultVersion, ...others } = differing(wanted, before);
  const different: JsonObject =
    kind === 'Domain' || defaultVersion === undefined ? others : { ...others, defaultVersion };
  if (Object.keys(different).length === 0 && !secrets.changed) return 'DONE';
  const faults: RefusalCause[] = [];
  const names = new Set([
    ...Object.keys(different),
    ...(secrets.changed ? [...secrets.all].map((pointer) => pointer.split('/')[1] ?? '') : []),
  ]);
  const resource = found.resource as JsonObject;
  const part = Object.fromEntries(
    Object.entries(spec)
      .filter(([member]) => names.has(member))
      .map(([member, value]) => [member, keepSecrets(value as JsonValue, resource[member])]),
  );
  const whole = replaced.has(kind) ? { ...(keepSecrets(before, resource) as JsonObject), ...part } : part;
  const body = await references.toBody(whole, at, faults);
  if (faults.length > 0) return { faults };
  const version = kind === 'Notification' ? place.given : { changeVersion: resource['changeVersion'] ?? null };
  const path = kind === 'Notification' ? place.list : itemPath(kind, place.list, found);
  const action = kind === 'Zone' && 'parentZone' in different ? 'MOVE' : 'UPDATE';
  const after = await world.attempt(
    async () => {
      const answer = await world.write(replaced.has(kind) ? 'PUT' : 'PATCH', path, { ...body, ...version });
      if (action !== 'MOVE') return specAfter(planning, document, place, answer);
      // the paths of the zone and of everything in it are others
      references.movedZones.set(name, uuidOf(found));
      planning.forgetNames();
      return specOf(planning, kind, { name, resource: answer });
    },
    (result) => secrets.changed || !isSame(result, before),
  );
  if (isSame(after, before) && !secrets.changed) {
    planning.reading.names.learn(place.key, found);
    return 'DONE';
  }
  const change: PlannedChange = {
    action,
    kind,
    name,
    uuid: planning.shownUuid(name, uuidOf(found)),
    before: masks(before, secrets),
    after: masks(after, secrets),
    changeVersion: versionOf(found.resource),
  };
  planning.changes.push(change);
  return 'DONE';
};

/** A secret that changes is shown as `***`. */
const masks = (
  spec: JsonObject,
  { all, changed }: { readonly all: ReadonlySet<string>; readonly changed: boolean },
) => {
  if (!changed) return spec;
  const put = (value: JsonValue, [name = '', ...rest]: readonly string[]): JsonValue =>
    isJsonObject(value) ? { ...value, [name]: rest.length === 0 ? '***' : put(value[name] ?? {}, rest) } : value;
  return [...all].reduce<JsonValue>((value, pointer) => put(value, pointer.split('/').slice(1)), spec);
};

const applyDocument = async (planning: Planning, document: SingleDocument): Promise<Outcome> => {
  try {
    const place = await placeOf(planning, document);
    if (place === 'DONE' || 'faults' in place) return place;
    return await (place.found === undefined
      ? create(planning, document, place)
      : update(planning, document, place, place.found));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { faults: planning.causesOf(document, error) };
  }
};

/** Kinds whose change may give the caller permissions, or take them. */
const changesAccess: ReadonlySet<SingleKind> = new Set(['Zone', 'Role', 'Group', 'User']);

/**
 * Makes the resources of a kind those of the documents. A document may refer to a later one: a refused document is
 * tried again as long as others succeed.
 */
export const planSingles = async (planning: Planning, kind: SingleKind): Promise<void> => {
  let waiting = planning.documents.filter((document): document is SingleDocument => document.kind === kind);
  while (waiting.length > 0) {
    const refused: SingleDocument[] = [];
    const faults: RefusalCause[] = [];
    for (const document of waiting) {
      const changes = planning.changes.length;
      const outcome = await applyDocument(planning, document);
      if (outcome !== 'DONE') {
        refused.push(document);
        faults.push(...outcome.faults);
      } else if (changesAccess.has(kind) && planning.changes.length > changes) await planning.world.refreshCaller();
    }
    if (refused.length === waiting.length || refused.length === 0) {
      planning.faults.push(...faults);
      return;
    }
    waiting = refused;
  }
};

/** The default version of a domain is set after its versions are there. */
export const planDefaultVersions = async (planning: Planning): Promise<void> => {
  planning.reading.names.forget('Domain');
  for (const document of planning.documents) {
    const { index, kind, name, spec } = document;
    if (kind !== 'Domain' || typeof spec['defaultVersion'] !== 'string') continue;
    const found = await planning.references.domain(name);
    if (found === undefined) continue;
    const before = await specOf(planning, kind, found);
    if (isSame(before['defaultVersion'], spec['defaultVersion'])) continue;
    const faults: RefusalCause[] = [];
    const body = await planning.references.toBody({ defaultVersion: spec['defaultVersion'] }, `/${index}/spec`, faults);
    planning.faults.push(...faults);
    if (faults.length > 0) continue;
    let answer: JsonObject;
    try {
      const changeVersion = found.resource['changeVersion'] as JsonValue;
      answer = await planning.world.write('PATCH', `/domains/${uuidOf(found)}`, { ...body, changeVersion });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      planning.faults.push(...planning.causesOf(document, error));
      continue;
    }
    planning.reading.names.learn('Domain', { name: found.name, resource: answer });
    const after = await specOf(planning, kind, { name: found.name, resource: answer });
    const earlier = planning.changes.findIndex((change) => change.kind === kind && change.name === name);
    const known = planning.changes[earlier];
    if (known !== undefined) planning.changes[earlier] = { ...known, after };
    else
      planning.changes.push({
        action: 'UPDATE',
        kind,
        name,
        uuid: uuidOf(found),
        before,
        after,
        changeVersion: versionOf(found.resource),
      });
  }
};

/** Types that exist from the start. */
const firstTypes = new Set([
  'default',
  'Database Adaptor',
  'File System Adaptor',
  'Temporal Adaptor',
  'Web Hook Adaptor',
]);

interface Candidate {
  readonly named: Named;
  readonly path: string;
}

const things = async (planning: Planning, kind: keyof typeof zoneLists): Promise<readonly Candidate[]> => {
  const own = planning.documents.filter((document) => document.kind === kind);
  const candidates = new Map<string, Candidate>();
  const kept = new Set<string>();
  for (const { name } of own) {
    const place = await planning.references.place(name);
    if (place === undefined) continue;
    kept.add(`${place.zone.name}/${segmentOf(place.own)}`);
    const list = `/zones/${textOf(place.zone.resource['uuid'])}/${zoneLists[kind]}`;
    for (const named of await planning.reading.names.thingsOf(kind, place.zone)) {
      // a deleted adaptor stays, without being active
      const stays = named.resource['managed'] === true || (kind === 'Adaptor' && named.resource['active'] === false);
      if (!stays) candidates.set(named.name, { named, path: `${list}/${textOf(named.resource['uuid'])}` });
    }
  }
  return [...candidates.values()].filter(({ named }) => !kept.has(named.name));
};

const leftOut = async (planning: Planning, kind: SingleKind): Promise<readonly Candidate[]> => {
  const { documents, references, reading } = planning;
  const own = documents.filter((document) => document.kind === kind);
  if (own.length === 0) return [];
  const names = new Set(own.map(({ name }) => name));
  switch (kind) {
    case 'Zone': {
      const kept = new Set<string>();
      for (const { name } of own) kept.add((await references.zone(name))?.name ?? name);
      // children first
      return (await reading.names.zones())
        .filter(({ name }) => !kept.has(name) && [...kept].some((zone) => name.startsWith(`${zone}/`)))
        .toReversed()
        .map((named) => ({ named, path: `/zones/${textOf(named.resource['uuid'])}` }));
    }
    case 'AdaptorType': {
      const all = await reading.names.adaptorTypes();
      const zones = new Set(all.filter(({ name }) => names.has(name)).map(({ resource }) => resource['zoneUuid']));
      return all
        .filter(({ name, resource }) => !names.has(name) && !firstTypes.has(name) && zones.has(resource['zoneUuid']))
        .map((named) => ({ named, path: `/adaptor-types/${textOf(named.resource['uuid'])}` }));
    }
    case 'Notification':
      return (await webhooksOf(reading))
        .filter(({ name }) => !names.has(name))
        .map((named) => ({ named, path: `/notifications/${textOf(named.resource['notificationId'])}` }));
    // neither a domain nor a version is ever deleted
    case 'Domain':
    case 'DomainVersion':
      return [];
    default:
      return things(planning, kind);
  }
};

/** Deletes what the documents of a kind leave out, below the zones that they name. */
export const pruneSingles = async (planning: Planning, kind: SingleKind): Promise<void> => {
  const first = planning.documents.find((document) => document.kind === kind);
  for (const { named, path } of await leftOut(planning, kind)) {
    const before = await specOf(planning, kind, named);
    try {
      await planning.world.write('DELETE', path);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const [cause] = planning.causesOf(first as ConfigurationDocument, error);
      const detail = `${kind} ${named.name} is left out and cannot be deleted: ${error.message}`;
      planning.faults.push({ pointer: `/${first?.index ?? 0}`, code: cause?.code ?? error.code, detail });
      continue;
    }
    planning.forgetNames();
    planning.changes.push({
      action: 'DELETE',
      kind,
      name: named.name,
      uuid: uuidOf(named),
      before,
      after: null,
      changeVersion: versionOf(named.resource),
    });
  }
};
