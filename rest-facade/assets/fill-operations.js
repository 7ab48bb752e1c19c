// Fills an operation when it is opened, so that it can be executed without editing: uuids of the path are those of
// resources that exist, and bodies contain the current values. Nothing is filled that removes something or acts on it:
// the reader chooses the target.

/** Stands for a resource that exists in examples of the document. */
const sampleUuid = '019a5d2e-0000-7000-8000-000000000001';

const isPlaceholder = (segment) => /^\{\w+\}$/.test(segment);

/** Members of examples that name a resource, and the list that has one. */
const listsOf = (zoneUuid) => ({
  zoneUuid: '/zones',
  adaptorUuid: `/zones/${zoneUuid}/adaptors`,
  sourceAdaptorUuid: `/zones/${zoneUuid}/adaptors`,
  domainUuid: '/domains',
  domainVersionUuid: '/domains/versions',
  holderUuid: `/zones/${zoneUuid}/roles`,
  roleUuid: `/zones/${zoneUuid}/roles`,
  drUuid: '/drs',
  userUuid: `/zones/${zoneUuid}/users`,
});

/** Elements of lists that are left out when no such resource exists. An empty list of users would remove users. */
const optional = new Set(['drUuid']);

/** What the elements of a list in a body name, by the last segment of the path. */
const elementNames = { drs: 'drUuid', users: 'userUuid' };

const elementNameOf = (template) => elementNames[template.split('/').at(-1)];

const uuidOf = (resource) => resource?.uuid ?? resource?.notificationId;

const withQuery = (path, parameters) => {
  const query = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return query.length === 0 ? path : `${path}?${new URLSearchParams(query)}`;
};

/** Whether every uuid of the path may be chosen for the reader: it reads, replaces what it read, or creates below it. */
const mayChooseAll = (method, path, operation) => {
  if (method === 'get' || method === 'put' || method === 'patch') return true;
  const creates = operation.responses['201']?.headers?.Location !== undefined;
  return method === 'post' && (creates || /\/(?:dry-run|check)$/.test(path));
};

const createResolver = ({ spec, holder, read }) => {
  const homeZone = holder?.zones?.find(({ default: isDefault }) => isDefault)?.zoneUuid;
  const answers = new Map();
  const ask = (path) => {
    if (!answers.has(path)) answers.set(path, read(path));
    return answers.get(path);
  };

  /** The first resource of the list at a path; `template` is the path in the document. */
  const firstOf = async (path, template = path) => {
    const parameters = spec.paths[template]?.get?.parameters ?? [];
    const filters = parameters.find(({ name }) => name === 'filters')?.example;
    const isPaged = parameters.some(({ name }) => name === 'size');
    const answer = await ask(withQuery(path, { size: isPaged ? '1' : undefined, filters }));
    const list = Object.values(answer ?? {}).find((member) => Array.isArray(member));
    return list?.[0];
  };

  const valueOf = async (name, path, template) => {
    if (name === 'zoneUuid' && homeZone !== undefined) return homeZone;
    if (name === 'user') return holder?.username;
    return uuidOf(await firstOf(path, template));
  };

  /**
   * The path with uuids of existing resources, and these by placeholder; it ends at the first placeholder without a
   * resource.
   */
  const fillPath = async (template, isLastChosen) => {
    const segments = template.split('/').slice(1);
    const last = segments.findLastIndex(isPlaceholder);
    const values = {};
    let path = '';
    let at = '';
    for (const [index, segment] of segments.entries()) {
      let value = segment;
      if (isPlaceholder(segment)) {
        const name = segment.slice(1, -1);
        value = index === last && !isLastChosen ? undefined : await valueOf(name, path, at);
        if (value === undefined) return { values, path: undefined };
        values[name] = value;
      }
      path += `/${encodeURIComponent(value)}`;
      at += `/${segment}`;
    }
    return { values, path };
  };

  /** Names an existing record, its version and its data in an example. When no record exists, the example names none. */
  const nameRecord = async (example) => {
    const record = await firstOf('/drs');
    if (record === undefined) return { ...example, drUuid: undefined };
    const { uuid, domainVersionUuid, json, drKey } = record;
    return { ...example, domainVersionUuid, drUuid: uuid, jsonData: JSON.stringify(json ?? drKey) };
  };

  /** An example with uuids of existing resources. A uuid without such a resource stays; one of `optional` is left out. */
  const fillExample = async (value, name) => {
    if (Array.isArray(value)) {
      const items = await Promise.all(value.map((item) => fillExample(item, name)));
      return items.filter((item) => item !== undefined);
    }
    if (typeof value === 'object' && value !== null) {
      const named = value.drUuid === sampleUuid ? await nameRecord(value) : value;
      const members = Object.entries(named).map(async ([key, member]) => [key, await fillExample(member, key)]);
      return Object.fromEntries((await Promise.all(members)).filter(([, member]) => member !== undefined));
    }
    if (value !== sampleUuid) return value;
    const list = listsOf(homeZone)[name];
    const found = list === undefined ? undefined : uuidOf(await firstOf(list));
    return found ?? (optional.has(name) ? undefined : value);
  };
  return { ask, fillPath, fillExample };
};

const jsonBodyOf = (operation) => operation.requestBody?.content?.['application/json'];

/** A plugin of Swagger UI. `read` asks the API as the caller; `holder` is what GET /token says of them. */
export const fillOperations = ({ spec, holder, read }) => {
  const resolver = createResolver({ spec, holder, read });
  const filled = new Set();

  /** The body to show: for a replacement or a change the current values, otherwise the example. */
  const bodyFor = async (method, template, path) => {
    const { example } = jsonBodyOf(spec.paths[template][method]) ?? {};
    const canRead = method !== 'post' && path !== undefined && spec.paths[template].get !== undefined;
    const there = canRead ? await read(path) : undefined;
    if (template === '/drs/{drUuid}' && there !== undefined) return there.json;
    return there ?? (example === undefined ? undefined : resolver.fillExample(example, elementNameOf(template)));
  };

  const fill = async (system, template, method) => {
    const operation = spec.paths[template][method];
    const { values, path } = await resolver.fillPath(template, mayChooseAll(method, template, operation));
    const pathMethod = [template, method];
    for (const [name, value] of Object.entries(values))
      system.specActions.changeParam(pathMethod, name, 'path', value, false);
    if (jsonBodyOf(operation) === undefined) return;
    const body = await bodyFor(method, template, path);
    if (body === undefined) return;
    system.oas3Actions.setRequestBodyValue({ value: JSON.stringify(body, null, 2), pathMethod });
  };

  const placeOf = (operationId) => {
    for (const [path, methods] of Object.entries(spec.paths))
      for (const [method, operation] of Object.entries(methods))
        if (operation.operationId === operationId) return [path, method];
    return undefined;
  };

  return () => ({
    statePlugins: {
      layout: {
        wrapActions: {
          show: (show, system) => (thing, isShown) => {
            const [kind, , operationId] = [thing].flat();
            const place = kind === 'operations' && isShown !== false ? placeOf(operationId) : undefined;
            if (holder !== undefined && place !== undefined && !filled.has(operationId)) {
              filled.add(operationId);
              // an operation that cannot be filled stays as the document has it
              fill(system, ...place).catch((error) => console.warn('an operation was not filled', error));
            }
            return show(thing, isShown);
          },
        },
      },
    },
  });
};
