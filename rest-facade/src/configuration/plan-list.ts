import { isJsonObject, type JsonObject, type JsonValue } from '@fds/json';
import type { ConfigurationDocument } from './document.js';
import { elementsOf, listPath, memberOfList, operationalName, type ListKind, type ShownElement } from './kinds.js';
import { textOf } from './names.js';
import { differing, isSame, type Action, type Planning } from './plan.js';
import { Refused, type RefusalCause } from './rest-client.js';

type ListDocument = ConfigurationDocument & { readonly kind: ListKind };

/** Values of members that a document leaves out, where the element has no name. */
const isUnset = (name: string, value: JsonValue | undefined): boolean =>
  value === undefined || value === null || (name === 'active' && value === true);

const isAlike = (name: string, wanted: JsonValue | undefined, shown: JsonValue | undefined): boolean =>
  isSame(wanted, shown) || (isUnset(name, wanted) && isUnset(name, shown));

/** Has the element, as it is shown, the content that the document gives? Members that are left out are unset. */
const hasContent = (wanted: JsonObject, shown: JsonObject): boolean =>
  [...new Set([...Object.keys(wanted), ...Object.keys(shown)])].every((name) =>
    Object.hasOwn(wanted, name) ? isAlike(name, wanted[name], shown[name]) : isUnset(name, shown[name]),
  );

/** The content of a preference that identifies it. */
const isSamePreference = (wanted: JsonObject, shown: JsonObject): boolean =>
  isSame(wanted['domainVersion'], shown['domainVersion']) && isSame(wanted['adaptor'], shown['adaptor']);

/** For each wanted element the index of the present one that it is about; undefined for a new one. */
const matchElements = (
  kind: ListKind,
  wanted: readonly JsonObject[],
  shown: readonly JsonObject[],
): readonly (number | undefined)[] => {
  const free = new Set(shown.keys());
  const take = (matches: (present: JsonObject) => boolean): number | undefined => {
    for (const at of free) {
      if (!matches(shown[at] as JsonObject)) continue;
      free.delete(at);
      return at;
    }
    return undefined;
  };
  const matched = wanted.map((element) => {
    if (kind === 'Preferences') return take((present) => isSamePreference(element, present));
    const { name } = element;
    return typeof name === 'string' ? take((present) => present['name'] === name) : undefined;
  });
  return wanted.map((element, at) => {
    if (matched[at] !== undefined || kind === 'Preferences' || typeof element['name'] === 'string') return matched[at];
    return (
      take((present) => hasContent(element, present)) ??
      // the service may fill what is left out
      take((present) => Object.entries(element).every(([name, value]) => isAlike(name, value, present[name])))
    );
  });
};

/** The elements that keep their place: the longest part of the list that is in order already. */
const keptInOrder = (order: readonly number[]): ReadonlySet<number> => {
  // ends[n] is the place of the smallest end of an ascending part with n + 1 elements
  const ends: number[] = [];
  const before: (number | undefined)[] = [];
  order.forEach((value, place) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((order[ends[middle] as number] as number) < value) low = middle + 1;
      else high = middle;
    }
    before[place] = low === 0 ? undefined : ends[low - 1];
    ends[low] = place;
  });
  const kept = new Set<number>();
  for (let place = ends.at(-1); place !== undefined; place = before[place]) kept.add(order[place] as number);
  return kept;
};

interface OpenList {
  readonly document: ListDocument;
  readonly planning: Planning;
  readonly path: string;
  /** Query of requests that write elements. */
  readonly query: string;
}

const pathOfList = async (
  { references }: Planning,
  { index, kind, name }: ListDocument,
): Promise<string | RefusalCause> => {
  const unknown = (what: string): RefusalCause => ({
    pointer: `/${index}/name`,
    code: 'UNKNOWN_REFERENCE',
    detail: `there is no ${what} ${name}`,
  });
  if (kind === 'OperationalAcls') {
    const detail = `the document of the operational chain is named ${operationalName}`;
    return name === operationalName ? listPath(kind, '') : { pointer: `/${index}/name`, code: 'NOT_ALLOWED', detail };
  }
  if (kind === 'DataAccessRules') {
    const role = await references.thing('Role', name);
    if (role === undefined) return unknown('Role');
    return listPath(kind, textOf(role.resource['zoneUuid']), textOf(role.resource['uuid']));
  }
  const zone = await references.zone(name);
  return zone === undefined ? unknown('Zone') : listPath(kind, textOf(zone.resource['uuid']));
};

/** A chain's refusal of a property that does not exist. */
const strict: Readonly<Record<ListKind, string>> = {
  InboundAcls: '?strict=true',
  OutboundAcls: '?strict=true',
  OperationalAcls: '?strict=true',
  DataAccessRules: '',
  Preferences: '',
};

const joined = (query: string, parameter: string): string => (query === '' ? `?${parameter}` : `${query}&${parameter}`);

const uuidOf = (resource: ShownElement['resource']): string => textOf(resource['uuid']);

const itemOf = ({ path }: OpenList, uuid: string): string => `${path}/${uuid}`;

const readItem = async (list: OpenList, uuid: string): Promise<JsonObject> =>
  list.planning.world.read<JsonObject>(itemOf(list, uuid));

const setRecords = async (list: OpenList, uuid: string, wanted: readonly JsonValue[]): Promise<void> => {
  const { world } = list.planning;
  const path = `${itemOf(list, uuid)}/drs`;
  const present = (await world.list<JsonObject>(path)).map((each) => textOf(each['uuid']));
  const added = wanted.filter((each) => !present.includes(textOf(each)));
  if (added.length > 0) await world.write('POST', path, added);
  for (const each of present) if (!wanted.includes(each)) await world.write('DELETE', `${path}/${each}`);
};

const addChange = (
  { planning, document }: OpenList,
  action: Action,
  { uuid, changeVersion }: { readonly uuid: string | null; readonly changeVersion: JsonValue | undefined },
  before: JsonValue,
  after: JsonValue,
): void => {
  const { kind, name } = document;
  const version = typeof changeVersion === 'number' ? changeVersion : null;
  const shown = uuid === null ? null : planning.shownUuid(name, uuid);
  planning.changes.push({
    action,
    kind,
    name,
    uuid: shown,
    before,
    after,
    changeVersion: uuid === null ? null : version,
  });
};

const bodyOf = async (
  { planning }: OpenList,
  spec: JsonObject,
  at: string,
): Promise<{ readonly body: JsonObject; readonly drs: readonly JsonValue[] | undefined } | undefined> => {
  const faults: RefusalCause[] = [];
  const { drUuids, ...body } = await planning.references.toBody(spec, at, faults);
  planning.faults.push(...faults);
  if (faults.length > 0) return undefined;
  return { body, drs: Array.isArray(drUuids) ? drUuids : drUuids === null ? [] : undefined };
};

/** Rules hold their records themselves; entries have them below. */
const splitRecords = (
  kind: ListKind,
  { body, drs }: { readonly body: JsonObject; readonly drs: readonly JsonValue[] | undefined },
): { readonly body: JsonObject; readonly drs: readonly JsonValue[] | undefined } =>
  kind === 'DataAccessRules' && drs !== undefined
    ? { body: { ...body, drUuids: [...drs] }, drs: undefined }
    : { body, drs };

const specOf = async (list: OpenList, uuid: string): Promise<JsonObject> => {
  const { planning, document, path } = list;
  const elements = await elementsOf(planning.reading, document.kind, path);
  return (elements.find(({ resource }) => resource['uuid'] === uuid)?.spec ?? {}) as JsonObject;
};

/** Names of the properties that a rule can be about; undefined: not known. */
const propertiesOf = async (
  { planning: { references, world } }: OpenList,
  { domainVersion, domain }: JsonObject,
): Promise<ReadonlySet<string> | undefined> => {
  const version = typeof domainVersion === 'string' ? await references.version(domainVersion) : undefined;
  const ofDomain = typeof domain === 'string' ? await references.domain(domain) : undefined;
  const versions =
    version !== undefined
      ? [version]
      : ofDomain === undefined
        ? []
        : await references.reading.names.versionsOf(ofDomain);
  if (versions.length === 0) return undefined;
  const names = new Set<string>();
  for (const { resource } of versions) {
    const path = `/domains/versions/${textOf(resource['uuid'])}/properties`;
    for (const { name } of await world.list<JsonObject>(path)) names.add(textOf(name).toLowerCase());
  }
  return names;
};

/** A rule that names a property which does not exist would decide nothing. @returns false with a fault */
const hasProperties = async (list: OpenList, spec: JsonObject, at: string): Promise<boolean> => {
  const { properties } = spec;
  if (list.document.kind !== 'DataAccessRules' || !Array.isArray(properties)) return true;
  const known = await propertiesOf(list, spec);
  const faults = properties.flatMap((name: JsonValue, place): RefusalCause[] =>
    known === undefined || typeof name !== 'string' || known.has(name.toLowerCase())
      ? []
      : [{ pointer: `${at}/properties/${place}`, code: 'UNKNOWN_PROPERTY', detail: `there is no property ${name}` }],
  );
  list.planning.faults.push(...faults);
  return faults.length === 0;
};

/** @returns the uuid of the new element; undefined when it is refused */
const createElement = async (list: OpenList, spec: JsonObject, at: string, position: number) => {
  const { planning, document, path, query } = list;
  const read = await bodyOf(list, spec, at);
  if (read === undefined || !(await hasProperties(list, spec, at))) return undefined;
  const { body, drs } = splitRecords(document.kind, read);
  const isChain = strict[document.kind] !== '';
  const answer = await planning.world.write(
    'POST',
    `${path}${isChain ? joined(query, `position=${position}`) : ''}`,
    body,
  );
  const created = (
    Array.isArray(answer) ? answer[0] : (answer[Object.keys(answer)[0] ?? ''] as JsonValue)
  ) as JsonValue;
  const found = typeof answer['uuid'] === 'string' ? answer : Array.isArray(created) ? created[0] : created;
  const uuid = textOf((found as JsonObject)['uuid']);
  if (document.kind === 'DataAccessRules') await moveElement(list, uuid, position);
  if (drs !== undefined && drs.length > 0) await setRecords(list, uuid, drs);
  addChange(list, 'CREATE', { uuid: null, changeVersion: null }, null, await specOf(list, uuid));
  return uuid;
};

const moveElement = async (list: OpenList, uuid: string, position: number): Promise<void> => {
  const { changeVersion = null } = await readItem(list, uuid);
  await list.planning.world.write('PATCH', itemOf(list, uuid), { position, changeVersion });
};

const updateElement = async (list: OpenList, element: ShownElement, spec: JsonObject, at: string): Promise<void> => {
  const { planning, document, query } = list;
  const before = element.spec as JsonObject;
  if (Object.keys(differing(spec, before)).length === 0) return;
  const uuid = textOf(element.resource['uuid']);
  const read = await bodyOf(list, { ...before, ...spec }, at);
  if (read === undefined || !(await hasProperties(list, { ...before, ...spec }, at))) return;
  const { body, drs } = splitRecords(document.kind, read);
  const { changeVersion = null } = await readItem(list, uuid);
  const after = await planning.world.attempt(
    async () => {
      if (document.kind === 'Preferences') {
        const { adaptorUuid, ...rest } = body;
        await planning.world.write('PUT', itemOf(list, textOf(adaptorUuid)), rest);
      } else await planning.world.write('PUT', `${itemOf(list, uuid)}${query}`, { ...body, changeVersion });
      if (drs !== undefined) await setRecords(list, uuid, drs);
      return specOf(list, uuid);
    },
    (result) => !isSame(result, before),
  );
  if (isSame(after, before)) return;
  addChange(list, 'UPDATE', { uuid, changeVersion: element.resource['changeVersion'] as JsonValue }, before, after);
};

const isOrdered = (kind: ListKind): boolean => kind !== 'Preferences';

/** Makes the elements of a list those of the document, in its order. */
const planElements = async (list: OpenList, wanted: readonly JsonObject[]): Promise<void> => {
  const { planning, document, path } = list;
  const { index, kind } = document;
  const member = memberOfList(kind);
  const present = await elementsOf(planning.reading, kind, path);
  const shown = present.map(({ spec }) => spec as JsonObject);
  planning.compared.push([
    index,
    present.map(({ resource, spec }) => [planning.shownUuid(document.name, uuidOf(resource)), spec as JsonValue]),
  ]);
  const matches = matchElements(kind, wanted, shown);
  const matched = matches.filter((each) => each !== undefined);
  const staying = keptInOrder(matched);
  const uuidAt = (at: number): string => textOf(present[at]?.resource['uuid']);
  let order = present.map((_, at) => uuidAt(at));
  const refused = (error: unknown, within: string): void => {
    if (!(error instanceof Refused)) throw error;
    planning.faults.push(...planning.causesOf(document, error, within));
  };
  for (const [at, { resource, spec }] of present.entries()) {
    if (matched.includes(at)) continue;
    const uuid = uuidAt(at);
    try {
      await planning.world.write('DELETE', itemOf(list, uuid));
      order = order.filter((each) => each !== uuid);
      addChange(
        list,
        'DELETE',
        { uuid, changeVersion: resource['changeVersion'] as JsonValue },
        spec as JsonValue,
        null,
      );
    } catch (error) {
      refused(error, `/${member}`);
    }
  }
  let previous: string | undefined;
  for (const [place, spec] of wanted.entries()) {
    const within = `/${member}/${place}`;
    const at = matches[place];
    try {
      const next = previous === undefined ? 0 : order.indexOf(previous) + 1;
      if (at === undefined) {
        const uuid = await createElement(list, spec, `/${index}/spec${within}`, next);
        if (uuid === undefined) continue;
        order = order.toSpliced(next, 0, uuid);
        previous = uuid;
        continue;
      }
      const uuid = uuidAt(at);
      const element = present[at] as ShownElement;
      if (isOrdered(kind) && !staying.has(at)) {
        const from = order.indexOf(uuid);
        const without = order.filter((each) => each !== uuid);
        const position = previous === undefined ? 0 : without.indexOf(previous) + 1;
        if (position !== from) {
          await moveElement(list, uuid, position);
          order = without.toSpliced(position, 0, uuid);
          const { changeVersion } = element.resource;
          addChange(
            list,
            'MOVE',
            { uuid, changeVersion: changeVersion as JsonValue },
            { ...(element.spec as JsonObject), position: at },
            { ...(element.spec as JsonObject), position: place },
          );
        }
      }
      previous = uuid;
      await updateElement(list, element, spec, `/${index}/spec${within}`);
    } catch (error) {
      refused(error, within);
    }
  }
};

/** Reads the list of a document. */
const elementsWanted = (planning: Planning, { index, kind, spec }: ListDocument): readonly JsonObject[] | undefined => {
  const member = memberOfList(kind);
  const before = planning.faults.length;
  const add = (pointer: string, code: string, detail: string): void =>
    void planning.faults.push({ pointer: `/${index}/spec${pointer}`, code, detail });
  for (const name of Object.keys(spec))
    if (name !== member) add(`/${name}`, 'UNKNOWN_MEMBER', `${kind} has no ${name}`);
  // a list that is left out keeps its elements
  const list = Object.hasOwn(spec, member) ? (spec[member] ?? []) : undefined;
  if (list === undefined) return undefined;
  if (!Array.isArray(list)) {
    add(`/${member}`, 'WRONG_TYPE', `${member} is a list`);
    return undefined;
  }
  const names = new Set<string>();
  list.forEach((element: JsonValue, at) => {
    if (!isJsonObject(element)) add(`/${member}/${at}`, 'WRONG_TYPE', 'an element is an object');
    else if (typeof element['name'] === 'string') {
      if (names.has(element['name']))
        add(`/${member}/${at}/name`, 'DUPLICATE_NAME', `${element['name']} is given twice`);
      names.add(element['name']);
    }
  });
  return planning.faults.length > before ? undefined : (list as readonly JsonObject[]);
};

/** Makes the lists of a kind those of the documents. */
export const planLists = async (planning: Planning, kind: ListKind): Promise<void> => {
  for (const document of planning.documents) {
    if (document.kind !== kind) continue;
    const wanted = elementsWanted(planning, document as ListDocument);
    if (wanted === undefined) continue;
    try {
      const path = await pathOfList(planning, document as ListDocument);
      if (typeof path !== 'string') planning.faults.push(path);
      else await planElements({ planning, document: document as ListDocument, path, query: strict[kind] }, wanted);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      planning.faults.push(...planning.causesOf(document, error));
    }
  }
};
