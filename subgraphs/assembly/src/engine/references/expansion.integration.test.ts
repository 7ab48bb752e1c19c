import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AssembledRecord, AssemblyLine, AssemblyRequest } from '@fds/assembly-contract';
import type { Principal } from '@fds/auth';
import { compileDataAccess, type AccessRule } from '@fds/access-rules';
import { AppError } from '@fds/errors';
import { isJsonObject, type JsonObject, type JsonValue } from '@fds/json';
import { casesOf } from '@fds/testing';
import fc from 'fast-check';
import {
  openReferenceWorld,
  type ReferenceWorld,
  type TestAdaptor,
  type TestVersion,
} from '../../testing/reference-world.js';

const refTo = (uuid: string): JsonObject => ({ $ref: `/drs/${uuid}` });

/**
 * A record of a random graph. `to` and `many` are indexes of other records. An index without a record is a reference to
 * nothing.
 */
interface Node {
  readonly domain: 'red' | 'blue' | 'store';
  readonly team: number;
  readonly to: number | null;
  readonly many: readonly number[];
}

const domains = ['red', 'blue', 'store'] as const;
/** `to` refers to the next domain, `many` to red records. */
const nextDomain = { red: 'blue', blue: 'store', store: 'red' } as const;

const graphs = fc.array(
  fc.record({
    domain: fc.constantFrom(...domains),
    team: fc.nat(1),
    to: fc.option(fc.nat(8), { freq: 4 }),
    many: fc.array(fc.nat(8), { maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 7 },
);

interface PlacedNode extends Node {
  readonly id: number;
  readonly uuid: string;
}

const graphCount = casesOf(50);
const longest = Math.max(120_000, graphCount * 1_000);
const nowhere = '00000000-0000-4000-8000-000000000000';

/** The answer computed record by record from the text of the specification. */
const naive = (
  nodes: readonly PlacedNode[],
  root: PlacedNode,
  { maxRefSize, maxRefDepth }: { readonly maxRefSize: number; readonly maxRefDepth: number },
): JsonObject => {
  const at = (place: number, domain: string): PlacedNode | undefined =>
    nodes[place]?.domain === domain ? nodes[place] : undefined;
  const nest = (node: PlacedNode, line: readonly PlacedNode[]): JsonValue =>
    line.includes(node) ? refTo(node.uuid) : show(node, [...line, node]);
  const show = (node: PlacedNode, line: readonly PlacedNode[]): JsonObject => {
    const { id, team, to, many, domain } = node;
    const held = {
      to: to === null ? null : refTo(nodes[to]?.uuid ?? nowhere),
      many: many.map((place) => refTo(nodes[place]?.uuid ?? nowhere)),
    };
    if (line.length > maxRefDepth) return { id, team, ...held };
    const target = to === null ? undefined : at(to, nextDomain[domain]);
    const listed = many
      .flatMap((place) => at(place, 'red') ?? [])
      .sort((one, other) => other.id - one.id)
      .slice(0, maxRefSize);
    const mates = nodes
      .filter((other) => other.domain === 'blue' && other.team === team)
      .sort((one, other) => one.id - other.id)
      .slice(0, Math.min(maxRefSize, 2));
    return {
      id,
      team,
      to: target === undefined ? null : nest(target, line),
      many: listed.map((each) => nest(each, line)),
      mates: mates.map((each) => nest(each, line)),
    };
  };
  return show(root, [root]);
};

const applyPatch = (target: JsonValue | undefined, patch: JsonValue): JsonValue => {
  if (!isJsonObject(patch)) return patch;
  const result: Record<string, JsonValue> = isJsonObject(target) ? { ...(target as Record<string, JsonValue>) } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else if (value !== undefined) result[name] = applyPatch(result[name], value);
  }
  return result;
};

describe('expansion of references by the engine', () => {
  let world: ReferenceWorld;
  let versions: Record<Node['domain'], TestVersion>;
  let adaptors: Record<'scarlet' | 'crimson' | 'navy', TestAdaptor>;

  beforeAll(async () => {
    world = await openReferenceWorld({ maxRequestBytes: 48 * 2 ** 20 });
    const modelOf = (domain: Node['domain']): JsonObject => ({
      properties: {
        id: { type: 'integer' },
        team: { type: 'integer' },
        to: { $ref: `/domains/${nextDomain[domain]}:v1` },
        many: { $ref: '/domains/red:v1', multivalued: true, sort: '-id' },
        mates: { $ref: '/domains/blue:v1', multivalued: true, sort: 'id', limit: 2, query: 'team:${team}' },
        note: { type: 'string' },
      },
    });
    const keys = ['id', 'team'];
    versions = {
      red: await world.addVersion('red', 'FEDERATED', modelOf('red'), keys),
      blue: await world.addVersion('blue', 'FEDERATED', modelOf('blue'), keys),
      store: await world.addVersion('store', 'SERVICE_DATA_STORE', modelOf('store'), keys),
    };
    adaptors = {
      scarlet: await world.addAdaptor('scarlet', [versions.red]),
      crimson: await world.addAdaptor('crimson', [versions.red]),
      navy: await world.addAdaptor('navy', [versions.blue]),
    };
  });

  const empty = async (): Promise<void> => {
    world.clear();
    for (const adaptor of Object.values(adaptors)) adaptor.records.clear();
    for (const table of ['record_link', 'data_record']) await world.database.pool.query(`DELETE FROM ${table}`);
  };
  beforeEach(empty);
  afterAll(() => world.close());

  const holdersOf = (domain: Node['domain']): TestAdaptor[] => {
    const { scarlet, crimson, navy } = adaptors;
    return { red: [scarlet, crimson], blue: [navy], store: [] }[domain];
  };

  const add = async (domain: Node['domain'], data: JsonObject): Promise<string> =>
    world.addRecord(versions[domain], data, holdersOf(domain));

  const setData = async (domain: Node['domain'], uuid: string, data: JsonObject): Promise<void> => {
    for (const adaptor of holdersOf(domain)) adaptor.records.set(uuid, data);
    if (domain === 'store')
      await world.database.pool.query('UPDATE data_record SET json = $2::jsonb WHERE uuid = $1', [
        uuid,
        JSON.stringify(data),
      ]);
  };

  const place = async (graph: readonly Node[]): Promise<PlacedNode[]> => {
    const nodes: PlacedNode[] = [];
    for (const [id, node] of graph.entries()) {
      nodes.push({ ...node, id, uuid: await add(node.domain, { id, team: node.team }) });
    }
    for (const { domain, uuid, id, team, to, many } of nodes) {
      await setData(domain, uuid, {
        id,
        team,
        to: to === null ? null : refTo(nodes[to]?.uuid ?? nowhere),
        many: many.map((each) => refTo(nodes[each]?.uuid ?? nowhere)),
      });
    }
    return nodes;
  };

  const assemble = (request: AssemblyRequest, principal: Principal = world.principal) =>
    world.subgraph.assembler.assemble({ expandRefs: true, size: 100, ...request }, principal);

  const linesOf = async (request: AssemblyRequest): Promise<AssemblyLine[]> => {
    const lines: AssemblyLine[] = [];
    const answer = world.subgraph.assembler.assembleProgressively(
      { expandRefs: true, size: 100, ...request },
      world.principal,
    );
    for await (const line of answer) lines.push(line);
    return lines;
  };

  /** The records of a client after it has applied the lines. */
  const applied = (lines: readonly AssemblyLine[]): AssembledRecord[] => {
    const records: AssembledRecord[] = [];
    for (const line of lines) {
      if ('record' in line) records[line.index] = line.record;
      else if ('patch' in line) {
        const before = { ...records[line.index] } as unknown as JsonObject;
        records[line.index] = applyPatch(before, line.patch) as unknown as AssembledRecord;
      }
    }
    return records;
  };

  it(
    'equals a naive oracle for random graphs with circles, and asks for no record twice',
    async () => {
      const limits = fc.record({
        maxRefDepth: fc.integer({ min: 1, max: 4 }),
        maxRefSize: fc.integer({ min: 1, max: 3 }),
      });
      await fc.assert(
        fc
          .asyncProperty(graphs, limits, fc.constantFrom(...domains), async (graph, given, domain) => {
            const nodes = await place(graph);
            world.sent.length = 0;
            const roots = nodes.filter((node) => node.domain === domain);
            const request = { domain, sort: 'id', ...given };
            const { assembledDataRecords } = await assemble(request);
            expect(assembledDataRecords.map(({ data }) => data)).toEqual(
              roots.map((root) => naive(nodes, root, given)),
            );
            const asked = world.sent.flatMap(({ adaptor, question }) =>
              (question.records ?? []).map(({ drUuid }) => `${adaptor} ${drUuid}`),
            );
            expect(new Set(asked).size).toBe(asked.length);
            // at most one message for each adaptor and level
            const most = new Set(world.sent.map(({ adaptor }) => adaptor)).size * (given.maxRefDepth + 1);
            expect(world.sent.length).toBeLessThanOrEqual(most);
            expect(applied(await linesOf(request)).map(({ data }) => data)).toEqual(
              assembledDataRecords.map(({ data }) => data),
            );
          })
          .beforeEach(empty),
        { numRuns: graphCount },
      );
    },
    longest,
  );

  it('sends patches in a progressive answer for late answers of each level', async () => {
    const third = await add('blue', { id: 3, team: 9 });
    const second = await add('red', { id: 2, team: 8 });
    const first = await add('red', { id: 1, team: 7 });
    const { scarlet, crimson, navy } = adaptors;
    scarlet.records.set(first, { id: 1, team: 7, note: 'early' });
    crimson.records.set(first, { id: 1, team: 7, many: [refTo(second)] });
    scarlet.records.set(second, { id: 2, team: 8, note: 'early' });
    crimson.records.set(second, { id: 2, team: 8, to: refTo(third) });
    const slow = (): void => {
      crimson.manner = 80;
      navy.manner = 120;
    };
    slow();
    const request = {
      drUuids: [first],
      goldAdaptors: [scarlet.uuid],
      bronzeAdaptors: [crimson.uuid, navy.uuid],
      timeout: 5,
    };
    const lines = await linesOf(request);
    expect(lines[0]).toMatchObject({ index: 0, record: { data: { id: 1, note: 'early', mates: [] } } });
    expect(lines.filter((line) => 'patch' in line).length).toBeGreaterThan(0);
    const [shown] = applied(lines);
    expect(shown?.data).toMatchObject({
      note: 'early',
      many: [{ id: 2, note: 'early', to: { id: 3, team: 9 } }],
    });
    expect(shown?.status).toBe('PREFERRED_COMPLETE');
    const end = lines.at(-1);
    if (end === undefined || !('completeness' in end)) throw new Error('the last line has the completeness');
    expect(end.completeness.map(({ level = 0, outcome }) => `${level} ${outcome}`)).toEqual([
      '0 ANSWERED',
      '0 ANSWERED',
      '1 ANSWERED',
      '1 ANSWERED',
      '2 ANSWERED',
    ]);
    // the plain answer with the same policy when no adaptor is late
    scarlet.manner = 200;
    crimson.manner = 'AT_ONCE';
    navy.manner = 'AT_ONCE';
    const plain = await assemble(request);
    expect(shown?.data).toEqual(plain.assembledDataRecords[0]?.data);
  });

  it('neither follows references to records that data access rules hide, nor asks for them', async () => {
    const hidden = await add('blue', { id: 3, team: 9, note: 'hidden record' });
    const seen = await add('blue', { id: 4, team: 9, note: 'seen record' });
    const other = await add('red', { id: 2, team: 7, note: 'red' });
    const root = await add('store', { id: 1, team: 9 });
    await setData('red', other, { id: 2, team: 7, note: 'secret', to: refTo(seen) });
    await setData('store', root, { id: 1, team: 9, many: [refTo(other)] });
    const any: AccessRule = {
      effect: 'DENY',
      actions: ['GET'],
      zoneUuid: null,
      adaptorUuid: null,
      domainUuid: null,
      domainVersionUuid: null,
      properties: null,
      drUuids: null,
    };
    const as = (...rules: Partial<AccessRule>[]): Principal => ({
      ...world.principal,
      dataAccess: compileDataAccess([rules.map((rule) => ({ ...any, ...rule }))], new Map()),
    });
    const shownTo = async (principal: Principal): Promise<JsonObject | undefined> => {
      world.sent.length = 0;
      return (await assemble({ drUuids: [root], maxRefDepth: 2 }, principal)).assembledDataRecords[0]?.data;
    };
    const asked = () => world.sent.flatMap(({ question }) => question.records?.map(({ drUuid }) => drUuid) ?? []);

    const many = [expect.objectContaining({ note: 'secret' })];
    expect(await shownTo(as({ drUuids: [hidden] }))).toMatchObject({ mates: [{ note: 'seen record' }], many });
    expect(asked()).not.toContain(hidden);

    // the values of a hidden property are not followed and not asked for
    const properties = as({ domainVersionUuid: versions.red.uuid, properties: ['note', 'to'] });
    const [red] = ((await shownTo(properties))?.['many'] ?? []) as JsonObject[];
    expect(red).toEqual({ id: 2, team: 7, mates: [] });
    const ofRed = world.sent.filter(({ question }) => question.domain === 'red');
    expect(ofRed.map(({ question }) => question.requestedProperties?.includes('to'))).toEqual([false, false]);
    expect(ofRed.map(({ question }) => question.requestedProperties?.includes('note'))).toEqual([false, false]);

    expect(await shownTo(as({ domainVersionUuid: versions.store.uuid, properties: ['mates'] }))).not.toHaveProperty(
      'mates',
    );
    expect(await shownTo(as({ domainVersionUuid: versions.store.uuid, properties: ['team'] }))).toMatchObject({
      mates: [],
    });

    expect(await shownTo(as({ domainVersionUuid: versions.blue.uuid }))).toMatchObject({
      mates: [],
      many: [{ to: null }],
    });
    expect(world.sent.some(({ question }) => question.domain === 'blue')).toBe(false);
  });

  it('never asks a hidden adaptor', async () => {
    const other = await add('red', { id: 2, team: 7 });
    const root = await add('store', { id: 1, team: 9 });
    await setData('store', root, { id: 1, team: 9, many: [refTo(other)] });
    const rule: AccessRule = {
      effect: 'DENY',
      actions: ['GET'],
      zoneUuid: null,
      adaptorUuid: adaptors.crimson.uuid,
      domainUuid: null,
      domainVersionUuid: null,
      properties: null,
      drUuids: null,
    };
    const zones = new Map([[adaptors.crimson.uuid, world.zoneUuid]]);
    const principal = { ...world.principal, dataAccess: compileDataAccess([[rule]], zones) };
    world.sent.length = 0;
    const { assembledDataRecords } = await assemble({ drUuids: [root], maxRefDepth: 1 }, principal);
    expect(assembledDataRecords[0]?.data).toMatchObject({ many: [{ id: 2, team: 7 }] });
    expect(world.sent.map(({ adaptor }) => adaptor)).toEqual(['scarlet']);
  });

  it('ends with 400 when circles lead to more records than an answer may have', async () => {
    const uuids: string[] = [];
    for (let id = 0; id < 12; id += 1) uuids.push(await add('store', { id, team: 5 }));
    const reds: string[] = [];
    for (let id = 0; id < 12; id += 1) reds.push(await add('red', { id, team: 6 }));
    for (const [id, uuid] of reds.entries()) await setData('red', uuid, { id, team: 6, many: reds.map(refTo) });
    await setData('store', uuids[0] ?? '', { id: 0, team: 5, many: reds.map(refTo) });
    const failure = await assemble({ drUuids: uuids.slice(0, 1) }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AppError);
    expect((failure as AppError).code).toBe('QUERY_TOO_COMPLEX');
    expect(world.boundHits).toEqual(['assembly_references']);
    expect((await assemble({ drUuids: uuids.slice(0, 1), maxRefDepth: 2 })).assembledDataRecords).toHaveLength(1);
  });

  it('ends with 400 when one large record is nested more often than memory allows', async () => {
    const large = await add('red', { id: 1, team: 1, note: 'x'.repeat(200_000) });
    const uuids: string[] = [];
    for (let id = 0; id < 30; id += 1) {
      const uuid = await add('store', { id, team: 1 });
      await setData('store', uuid, { id, team: 1, many: Array.from({ length: 10 }, () => refTo(large)) });
      uuids.push(uuid);
    }
    const failure = await assemble({ drUuids: uuids, maxRefDepth: 1 }).catch((error: unknown) => error);
    expect((failure as AppError).code).toBe('QUERY_TOO_COMPLEX');
    expect(world.boundHits).toEqual(['assembly_request']);
    const few = await assemble({ drUuids: uuids.slice(0, 5), maxRefDepth: 1 });
    expect(few.assembledDataRecords).toHaveLength(5);
  });
});
