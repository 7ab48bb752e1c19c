import { WebSocket } from 'undici';
import type { FuzzStage } from '../open-fuzz-stage.js';
import { ask, fill, type HostilePiece } from './hostile-piece.js';

const bytes = 990_000;

const many = (count: number, write: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => write(n)).join(' ');

/** Each sending is a new document, so that none is known from before. */
let sent = 0;
const fresh = (): number => (sent += 1);

const zoneFields = 'uuid name dateCreated dateUpdated changeVersion parentZoneUuid description';

type Operation = readonly [input: string, write: () => { readonly query: string; readonly variables?: string }];

const operations: readonly Operation[] = [
  [
    '1000 fields of one type',
    () => ({
      query: `{ a${fresh()}: zones { data { ${many(45, (n) => `f${n}: uuid`)} ${many(900, () => 'name')} } } }`,
    }),
  ],
  [
    '1000 fields of a record type',
    () => ({
      query: `query Q${fresh()} { ${many(45, (n) => `a${n}: dr_store_1(size: 1) { data { id count share open day at mail state code inner { text number } list { text } _dr { uuid } } }`)} }`,
    }),
  ],
  [
    '1000 fields of catalogue and governance',
    () => ({
      query: `query Q${fresh()} { ${many(25, (n) => `a${n}: zones(size: 1) { data { ${zoneFields} } page { page } } b${n}: domains(size: 1) { data { uuid name versions { versionNumber uuid modelSchema domain { uuid name } } } page { page } }`)} }`,
    }),
  ],
  [
    'nested fields',
    () => ({
      query: `query Q${fresh()} { adaptors(size: 1) { data { ${many(40, (n) => `z${n}: zone { parentZone { childZones(size: 1) { data { uuid name } } } }`)} } } }`,
    }),
  ],
  ['unknown fields', () => ({ query: `query Q${fresh()} { ${many(1000, (n) => `x${n}`)} }` })],
  [
    'wrong literals',
    () => ({
      query: `query Q${fresh()} { ${many(49, (n) => `a${n}: domains(page: "x", size: {a: 1}, domainUuid: [[1]], x: 1) { data { uuid y } }`)} }`,
    }),
  ],
  [
    'a literal of many texts',
    () => ({ query: `query Q${fresh()} { dr_federated_1(drUuids: [${many(9_800, () => '"x"')}]) { data { id } } }` }),
  ],
  [
    'a literal of many objects',
    () => ({
      query: `mutation Q${fresh()} { createDataRecord(input: { name: "store", json: {${many(3_200, (n) => `m${n}: 1`)}} }) { uuid } }`,
    }),
  ],
  [
    'a long literal',
    () => ({ query: `query Q${fresh()} { domains(domainName: "${'x'.repeat(bytes)}") { page { page } } }` }),
  ],
  [
    'a long literal of escapes',
    () => ({
      query: `query Q${fresh()} { domains(domainName: "${String.raw`\u0041`.repeat(bytes / 7)}") { page { page } } }`,
    }),
  ],
  [
    'a long block text',
    () => ({ query: `query Q${fresh()} { domains(domainName: """${'x\n '.repeat(bytes / 4)}""") { page { page } } }` }),
  ],
  ['a long comment', () => ({ query: `#${'x'.repeat(bytes)}\n{ a${fresh()}: __typename }` })],
  ['blanks and commas', () => ({ query: `${', '.repeat(bytes / 2)}{ a${fresh()}: __typename }` })],
  ['a long name', () => ({ query: `{ a${'x'.repeat(bytes)}${fresh()}: __typename }` })],
  ['a long unknown field', () => ({ query: `{ a${fresh()} ${'x'.repeat(bytes)} }` })],
  [
    'a long number',
    () => ({ query: `{ domainVersions(versionNumber: ${'9'.repeat(bytes)}${fresh()}) { page { page } } }` }),
  ],
  ['tokens over the limit', () => ({ query: `{ a${fresh()}: __typename ${'@a '.repeat(bytes / 3)} }` })],
  ['10 000 tokens', () => ({ query: `{ a${fresh()}: __typename ${'@a '.repeat(4_900)} }` })],
  [
    '10 000 tokens of a list',
    () => ({ query: `{ a${fresh()}: domains(page: [${'1 '.repeat(9_900)}]) { page { page } } }` }),
  ],
  ['many variables', () => ({ query: `query Q${fresh()}(${many(2_400, (n) => `$v${n}: Int`)}) { __typename }` })],
  [
    'many fragments',
    () => ({
      query: `query Q${fresh()} { ...F0 } ${many(98, (n) => `fragment F${n} on Query { ${many(8, (k) => `a${n}_${k}: __typename`)} ...F${n + 1} }`)} fragment F98 on Query { __typename }`,
    }),
  ],
  [
    'introspection twice',
    () => ({
      query: `query Q${fresh()} { a: __schema { types { name fields { name args { name type { name ofType { name } } } type { name kind ofType { name kind ofType { name } } } } inputFields { name type { name } } enumValues { name } } } b: __schema { types { name fields { name } } } }`,
    }),
  ],
  [
    'wide variables',
    () => ({
      query: 'query ($v: Json) { dr_federated_1(additionalParameters: $v) { data { id } } }',
      variables: `{"v":{${fill(bytes, (n) => `"m${n}":1`)}}}`,
    }),
  ],
  ['unknown variables', () => ({ query: '{ __typename }', variables: `{${fill(bytes, (n) => `"m${n}":1`)}}` })],
  [
    'wrong elements of a variable',
    () => ({
      query: 'query ($v: [Uuid!]) { dr_federated_1(drUuids: $v) { data { id } } }',
      variables: `{"v":[${fill(bytes, () => '1')}]}`,
    }),
  ],
  [
    'a list of uuids',
    () => ({
      query: 'query ($v: [Uuid!]) { dr_federated_1(drUuids: $v) { data { id } } }',
      variables: `{"v":[${fill(bytes, (n) => `"01890000-0000-7000-8000-${String(n).padStart(12, '0')}"`)}]}`,
    }),
  ],
  [
    'inputs with wrong members',
    () => ({
      query: 'mutation ($z: Uuid!, $v: [ZoneAclInput!]!) { createInboundAcls(zoneUuid: $z, inputs: $v) { uuid } }',
      variables: `{"z":"x","v":[${fill(bytes, () => '{"x":1}')}]}`,
    }),
  ],
  [
    'a record with wrong values',
    () => ({
      query: 'mutation ($v: DataRecordInput!) { createDataRecord(input: $v) { uuid } }',
      variables: `{"v":{"name":"store","json":{"list":[${fill(bytes, () => '{"text":1}')}]}}}`,
    }),
  ],
  [
    'long numbers in variables',
    () => ({
      query: 'query ($v: Json) { dr_federated_1(additionalParameters: $v) { data { id } } }',
      variables: `{"v":[${fill(bytes, () => '12345678901234567')}]}`,
    }),
  ],
  [
    'a long text in a variable',
    () => ({
      query: 'query ($v: String) { domains(domainName: $v) { page { page } } }',
      variables: `{"v":"${'x'.repeat(bytes)}"}`,
    }),
  ],
  [
    'a long text where a number belongs',
    () => ({
      query: 'query ($v: Int) { domains(page: $v) { page { page } } }',
      variables: `{"v":"${'x'.repeat(bytes)}"}`,
    }),
  ],
  [
    'a search of 10 000 characters',
    () => ({
      query: 'query ($v: String) { dr_store_1(query: $v) { data { id } } }',
      variables: JSON.stringify({
        v: Array.from({ length: 499 }, (_, n) => `id:a${n}`)
          .join(' OR ')
          .slice(0, 9_990),
      }),
    }),
  ],
  [
    'a search of 1 MB',
    () => ({
      query: 'query ($v: String) { dr_store_1(query: $v) { data { id } } }',
      variables: JSON.stringify({ v: 'id:a OR '.repeat(bytes / 8) }),
    }),
  ],
  [
    'a long sort',
    () => ({
      query: 'query ($v: String) { dr_store_1(sort: $v) { data { id } } }',
      variables: JSON.stringify({ v: 'id,'.repeat(bytes / 3) }),
    }),
  ],
];

const toBody = ({ query, variables = '{}' }: { readonly query: string; readonly variables?: string }): string =>
  `{"query":${JSON.stringify(query)},"variables":${variables}}`;

const socketOf = async ({
  doors: { service },
}: FuzzStage): Promise<{ readonly socket: WebSocket; next(): Promise<unknown> }> => {
  const socket = new WebSocket(`${service.baseUrl.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve(), { once: true });
    socket.addEventListener('error', () => reject(new Error('no socket')), { once: true });
  });
  return {
    socket,
    next: () =>
      new Promise((resolve) => {
        socket.addEventListener('message', resolve, { once: true });
        socket.addEventListener('close', resolve, { once: true });
      }),
  };
};

const initial = ({ doors: { dgs } }: FuzzStage): string =>
  JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${dgs.token ?? ''}` } });

/** Messages of a websocket after its sign-in, or the sign-in itself. */
const messages: readonly (readonly [input: string, signsIn: boolean, write: (stage: FuzzStage) => string])[] = [
  ...operations
    .filter(([input]) => /1000 fields of a record|wide var|wrong elements|a record with|long literal$/.test(input))
    .map(
      ([input, write]) => [input, true, () => `{"id":"1","type":"subscribe","payload":${toBody(write())}}`] as const,
    ),
  [
    'a subscription with many events',
    true,
    () =>
      `{"id":"1","type":"subscribe","payload":{"query":"subscription ($e: [NotificationEventsInput!]) { metadataEvents(events: $e) { cursor } }","variables":{"e":[${fill(bytes, (n) => `{"resource":"/*/${n}/*","actions":["ALL"]}`)}]}}}`,
  ],
  ['a ping with a wide payload', true, () => `{"type":"ping","payload":{${fill(bytes, (n) => `"m${n}":1`)}}}`],
  ['a message of another kind', true, () => `[${fill(bytes, () => '[1]')}]`],
  [
    'a sign-in with a wide payload',
    false,
    () => `{"type":"connection_init","payload":{${fill(bytes, (n) => `"m${n}":1`)}}}`,
  ],
  [
    'a sign-in with a long token',
    false,
    () => `{"type":"connection_init","payload":{"authorization":"Bearer ${'a.'.repeat(bytes / 2)}"}}`,
  ],
];

/** Documents and variables by HTTP and by websocket. */
export const graphqlPieces: readonly HostilePiece[] = [
  ...operations.map(([input, write]): HostilePiece => ({
    door: 'POST /graphql',
    input,
    send: async ({ doors: { service, dgs } }) => {
      await ask({
        url: `${service.baseUrl}/graphql`,
        body: toBody(write()),
        headers: { authorization: `Bearer ${dgs.token ?? ''}` },
      });
    },
  })),
  ...messages.map(([input, signsIn, write]): HostilePiece => ({
    door: 'websocket /graphql',
    input,
    send: async (stage) => {
      const { socket, next } = await socketOf(stage);
      if (signsIn) {
        socket.send(initial(stage));
        await next();
      }
      const answered = next();
      socket.send(write(stage));
      await answered;
      socket.close();
    },
  })),
];
