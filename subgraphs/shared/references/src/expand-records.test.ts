import { describe, expect, it } from '@jest/globals';
import { isJsonObject, type JsonObject, type JsonValue } from '@fds/json';
import { compileModelSchema, type CompiledModel } from '@fds/model-schema';
import { evaluateCondition } from '@fds/search';
import fc from 'fast-check';
import { expandRecords, type Expansion } from './expand-records.js';
import type { ReferencedRecord } from './linked-places.js';
import type { LinkedVersion } from './linked-version.js';
import type { LinkRequest } from './reference-links.js';

const modelOf = (properties: JsonObject): CompiledModel => {
  const { model, errors } = compileModelSchema({ modelSchema: { properties }, drKeyProperties: ['id', 'team'] });
  if (model === undefined) throw new Error(JSON.stringify(errors));
  return model;
};

const properties: JsonObject = {
  id: { type: 'integer' },
  team: { type: 'integer' },
  one: { $ref: '/domains/bob:v1' },
  number: { $ref: '/domains/ann:v1/id' },
  many: { $ref: '/domains/ann:v1', multivalued: true, sort: '-id', limit: 3 },
  home: { type: 'object', properties: { friend: { $ref: '/domains/ann:v1' } } },
  stops: { type: 'array', items: { type: 'object', properties: { at: { $ref: '/domains/bob:v1' } } } },
  mates: { $ref: '/domains/bob:v1', multivalued: true, sort: 'id', query: 'team:${team}' },
};

const versionOf = (domainName: string): LinkedVersion => ({
  uuid: `version-${domainName}`,
  domainUuid: `domain-${domainName}`,
  zoneUuid: 'zone',
  domainName,
  domainType: 'FEDERATED',
  versionNumber: 1,
  model: modelOf(properties),
});
const versions: Readonly<Record<string, LinkedVersion>> = { ann: versionOf('ann'), bob: versionOf('bob') };

const requireVersion = (name: string): LinkedVersion => {
  const version = versions[name];
  if (version === undefined) throw new Error(`there is no domain ${name}`);
  return version;
};

interface Item {
  readonly uuid: string;
  readonly domain: 'ann' | 'bob';
  readonly id: number;
  readonly team: number;
  readonly closed: boolean;
  readonly links: JsonObject;
}
type Graph = readonly Item[];

const uuidOf = (place: number): string => `00000000-0000-4000-8000-${String(place).padStart(12, '0')}`;

/** A reference value: by uuid, by key, or to nothing. */
const pointer = (count: number): fc.Arbitrary<JsonValue> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.nat(count - 1).map((to): JsonValue => ({ $ref: `/drs/${uuidOf(to)}` })) },
    { weight: 2, arbitrary: fc.record({ id: fc.nat(count - 1), team: fc.nat(1) }) },
    fc.constant<JsonValue>({ $ref: `/drs/${uuidOf(999)}` }),
    fc.constant<JsonValue>('nothing'),
  );

const optional = { nil: null, freq: 3 };

const graph: fc.Arbitrary<Graph> = fc.integer({ min: 1, max: 7 }).chain((count) => {
  const value = pointer(count);
  const list = fc.array(value, { maxLength: 4 });
  const links = fc.record({
    one: fc.option(value, optional),
    number: fc.option(value, optional),
    many: fc.option(list, optional),
    home: fc.option(fc.record({ friend: fc.option(value, optional) }), optional),
    stops: fc.option(fc.array(fc.record({ at: fc.option(value, optional) }), { maxLength: 2 }), optional),
    mates: fc.option(list, { nil: null, freq: 2 }),
  });
  return fc.tuple(
    ...Array.from({ length: count }, (_, place) =>
      fc
        .record({ domain: fc.constantFrom('ann' as const, 'bob' as const), team: fc.nat(1), links })
        .chain((item) =>
          fc
            .boolean()
            .map((rare): Item => ({ ...item, uuid: uuidOf(place), id: place, closed: rare && place % 3 === 2 })),
        ),
    ),
  );
});

const dataOf = ({ id, team, links }: Item): JsonObject => ({ id, team, ...links });
const keyOf = ({ id, team }: Item): JsonObject => ({ id, team });
const refOf = ({ uuid }: Item): JsonObject => ({ $ref: `/drs/${uuid}` });

interface Limits {
  readonly maxDepth: number;
  readonly maxSize: number;
}

/** The specification, item by item, without levels and without batches. */
const naive = (items: Graph, { maxDepth, maxSize }: Limits, root: Item): JsonObject => {
  const find = (domain: string, value: JsonValue): Item[] =>
    items.filter(
      (item) =>
        item.domain === domain &&
        isJsonObject(value) &&
        (value['$ref'] === `/drs/${item.uuid}` || (value['id'] === item.id && value['team'] === item.team)),
    );
  const nest = (item: Item, line: readonly Item[]): JsonValue => {
    if (line.includes(item) || item.closed) return refOf(item);
    return expand(item, [...line, item]);
  };
  const expand = (item: Item, line: readonly Item[]): JsonObject => {
    const data = dataOf(item) as Record<string, JsonValue>;
    if (line.length > maxDepth) return data;
    const single = (domain: string, value: JsonValue): JsonValue => {
      const [found] = value === null ? [] : find(domain, value);
      return value === null ? value : found === undefined ? null : nest(found, line);
    };
    const { one = null, number = null, many, home, stops, mates } = item.links;
    data['one'] = single('bob', one);
    if (number !== null) {
      const [found] = find('ann', number);
      data['number'] = found === undefined ? null : found.closed ? refOf(found) : found.id;
    }
    if (Array.isArray(many)) {
      const found = many.flatMap((value: JsonValue) => find('ann', value)).sort((x, y) => y.id - x.id);
      data['many'] = found.slice(0, Math.min(3, maxSize)).map((each) => nest(each, line));
    }
    if (isJsonObject(home)) data['home'] = { friend: single('ann', home['friend'] ?? null) };
    if (Array.isArray(stops)) {
      data['stops'] = stops.map((stop: JsonValue) => ({
        at: single('bob', (isJsonObject(stop) ? stop['at'] : null) ?? null),
      }));
    }
    const mated = Array.isArray(mates)
      ? mates.flatMap((value: JsonValue) => find('bob', value))
      : items.filter(({ domain, team }) => domain === 'bob' && team === item.team);
    data['mates'] = mated
      .sort((x, y) => x.id - y.id)
      .slice(0, maxSize)
      .map((each) => nest(each, line));
    return data;
  };
  return expand(root, [root]);
};

/** The records that a request leads to, as a database has them. */
const lookUp = (items: Graph, { links, targets, values }: LinkRequest): readonly ReferencedRecord[] => {
  const { version, matching, order, limit } = links;
  const ofVersion = items.filter(({ domain }) => domain === version.domainName);
  const digestOf = (item: Item): string => version.model.keyDigest(keyOf(item));
  const found =
    targets === undefined
      ? ofVersion.filter((item) => {
          if (matching?.condition === undefined) return true;
          const given = new Map(matching.placeholders.map(({ name }, index) => [name, values[index] ?? undefined]));
          const record = { uuid: item.uuid, drKey: keyOf(item) };
          return evaluateCondition(matching.condition, record, (name) => given.get(name));
        })
      : targets.flatMap((target) =>
          ofVersion.filter((item) =>
            target.kind === 'UUID' ? target.uuid === item.uuid : target.keyDigest === digestOf(item),
          ),
        );
  const [term] = order;
  const sorted = term === undefined ? found : [...found].sort((x, y) => (term.descending ? y.id - x.id : x.id - y.id));
  return sorted
    .slice(0, limit)
    .map((item) => ({ uuid: item.uuid, drKey: keyOf(item), json: item.closed ? null : dataOf(item) }));
};

const expandItem = async (items: Graph, limits: Limits, onLoad: (requests: number) => void = () => undefined) => {
  const expansion: Expansion = { lists: 'WHOLE', ...limits };
  const context = {
    catalog: { version: (name: string) => versions[name] },
    load: (requests: readonly LinkRequest[]) => {
      onLoad(requests.length);
      return Promise.resolve(requests.map((request) => lookUp(items, request)));
    },
  };
  const roots = items.map((item) => ({ uuid: item.uuid, version: requireVersion(item.domain), json: dataOf(item) }));
  return expandRecords(context, roots, expansion);
};

describe('expandRecords', () => {
  it('nests the same records as a naive oracle, for every graph', async () => {
    const limits = fc.record({ maxDepth: fc.integer({ min: 1, max: 4 }), maxSize: fc.integer({ min: 1, max: 4 }) });
    await fc.assert(
      fc.asyncProperty(graph, limits, async (items, given) => {
        expect(await expandItem(items, given)).toEqual(items.map((item) => naive(items, given, item)));
      }),
      { numRuns: 500 },
    );
  });

  it('looks up each level once, for any number of records', async () => {
    const ring: Graph = Array.from({ length: 6 }, (_, place) => ({
      uuid: uuidOf(place),
      domain: 'ann',
      id: place,
      team: place,
      closed: false,
      links: { many: [{ $ref: `/drs/${uuidOf((place + 1) % 6)}` }], mates: [] },
    }));
    const loads: number[] = [];
    await expandItem(ring, { maxDepth: 3, maxSize: 10 }, (requests) => loads.push(requests));
    expect(loads).toEqual([6, 6, 6]);
  });

  it('reports each nested record with its place, and ends when it is refused', async () => {
    const [first, second]: Item[] = [0, 1].map((place) => ({
      uuid: uuidOf(place),
      domain: 'ann',
      id: place,
      team: place,
      closed: place === 1,
      links: {
        many:
          place === 0
            ? [
                { id: 0, team: 0 },
                { id: 1, team: 1 },
              ]
            : null,
        mates: [],
      },
    }));
    if (first === undefined || second === undefined) throw new Error('there are two items');
    const told: unknown[] = [];
    const context = {
      catalog: { version: (name: string) => versions[name] },
      load: (requests: readonly LinkRequest[]) =>
        Promise.resolve(requests.map((request) => lookUp([first, second], request))),
    };
    const root = { uuid: first.uuid, version: requireVersion('ann'), json: dataOf(first) };
    const [expanded] = await expandRecords(context, [root], {
      lists: 'WHOLE',
      maxDepth: 1,
      onNested: ({ root: place, pointer: at, depth, record }) => told.push([place, at, depth, record.uuid]),
    });
    expect(expanded?.['many']).toEqual([refOf(second), refOf(first)]);
    expect(told).toEqual([[0, '/many/0', 1, second.uuid]]);
    const refusing = expandRecords(context, [root], {
      lists: 'WHOLE',
      maxDepth: 1,
      onNested: () => {
        throw new RangeError('enough');
      },
    });
    await expect(refusing).rejects.toThrow('enough');
  });
});
