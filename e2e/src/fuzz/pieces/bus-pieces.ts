import { formatSequence, type Channel } from '@fds/adaptor-protocol';
import type { Place } from '../../faults/hostile/hostile-messages.js';
import { validRecord } from '../open-fuzz-stage.js';
import { ask, fill, type HostilePiece } from './hostile-piece.js';

/** Most bytes of a payload, without its envelope. */
const bytes = 260_000;

const envelope = ({ epoch, sequence, id, source, time }: Place, type: string, data: string): string =>
  `{"specversion":"1.0","id":"${id}","source":"${source}","type":"${type}","time":"${time}","epoch":"${epoch}","sequence":"${formatSequence(sequence)}","data":${data}}`;

const eventData = ({ transactionUuid }: Pick<Place, 'transactionUuid'>, json: string): string =>
  `{"action":"PUT","domain":"store","version":1,"transactionUuid":"${transactionUuid}","createTime":1,"json":${json}}`;

const members = JSON.stringify(validRecord).slice(0, -1);

const records: readonly (readonly [input: string, json: () => string])[] = [
  ['a list of valid items', () => `${members},"list":[${fill(bytes, () => '{"text":""}')}]}`],
  ['a list of wrong items', () => `${members},"list":[${fill(bytes, () => '1')}]}`],
  ['unknown members', () => `${members},${fill(bytes, (n) => `"m${n}":1`)}}`],
  ['a long text', () => `${members},"code":"${'x'.repeat(bytes)}"}`],
  ['one long number', () => `${members},"count":${'9'.repeat(bytes)}}`],
  ['many long numbers', () => `${members},"count":[${fill(bytes, () => '12345678901234567')}]}`],
  ['nested lists', () => `${members},"inner":${'['.repeat(900)}${']'.repeat(900)}}`],
  ['JSON in a text', () => JSON.stringify(`${members},${fill(bytes / 2, (n) => `"m${n}":1`)}}`)],
];

type Payload = readonly [channel: Channel, input: string, write: (place: Place) => string];

const inBatch = (place: Place, offset: number, json: string): string =>
  `{"id":"x","type":"fds.data.v1","sequence":"${formatSequence(place.sequence + offset)}","data":${eventData(place, json)}}`;

const link = (n: number): string =>
  `{"drKey":{"id":"a${n}","count":1,"share":0.5,"open":true},"domain":"store","version":1,"action":"LINK"}`;

const payloads: readonly Payload[] = [
  ...records.map(([input, json]): Payload => [
    'up/data',
    input,
    (place) => envelope(place, 'fds.data.v1', eventData(place, json())),
  ]),
  [
    'up/data',
    'a batch of 256 events',
    (place) =>
      envelope(
        place,
        'fds.data.batch.v1',
        `{"events":[${Array.from({ length: 256 }, (_, n) => inBatch(place, n, JSON.stringify({ ...validRecord, id: `b${n}` }))).join(',')}]}`,
      ),
  ],
  [
    'up/data',
    'a batch of wrong events',
    (place) => envelope(place, 'fds.data.batch.v1', `{"events":[${fill(bytes, () => '{}')}]}`),
  ],
  [
    'up/data',
    'a delete with a wide key',
    (place) =>
      envelope(
        place,
        'fds.data.v1',
        `{"action":"DELETE","domain":"federated","version":1,"transactionUuid":"${place.transactionUuid}","createTime":1,"drKey":{${fill(bytes, (n) => `"m${n}":1`)}}}`,
      ),
  ],
  ['up/link', 'many links', (place) => envelope(place, 'fds.link.v1', `{"links":[${fill(bytes, link)}]}`)],
  ['up/link', 'wrong links', (place) => envelope(place, 'fds.link.v1', `{"links":[${fill(bytes, () => '{}')}]}`)],
  [
    'up/link',
    'links of wide keys',
    (place) =>
      envelope(
        place,
        'fds.link.v1',
        `{"links":[${fill(bytes, () => `{"drKey":{${fill(20_000, (n) => `"m${n}":1`)}},"domain":"store","version":1,"action":"LINK"}`)}]}`,
      ),
  ],
  ['up/hello', 'wide data', (place) => envelope(place, 'fds.hello.v1', `{${fill(bytes, (n) => `"m${n}":1`)}}`)],
  [
    'up/ack',
    'a wide acknowledgement',
    (place) =>
      envelope(place, 'fds.ack.v1', `{"epoch":"x","upto":1,"failed":[${fill(bytes, (n) => `{"sequence":${n}}`)}]}`),
  ],
  [
    'up/status',
    'a long message',
    (place) =>
      envelope(
        place,
        'fds.status.v1',
        `{"state":"STARTED","sdk":{"name":"x","version":"1"},"stateMessage":"${'x'.repeat(bytes)}"}`,
      ),
  ],
  [
    'up/status',
    'wide data',
    (place) => envelope(place, 'fds.status.v1', `{"state":"STARTED",${fill(bytes, (n) => `"m${n}":1`)}}`),
  ],
  [
    'up/ops',
    'wide health',
    (place) => envelope(place, 'fds.health.v1', `{"status":"UP",${fill(bytes, (n) => `"m${n}":1`)}}`),
  ],
  [
    'up/ops',
    'many waiting sequences',
    (place) =>
      envelope(place, 'fds.waiting.v1', `{"epoch":"${place.epoch}","sequences":[${fill(bytes, (n) => String(n))}]}`),
  ],
  [
    'up/ops',
    'an error with many properties',
    (place) =>
      envelope(
        place,
        'fds.adaptor.error.v1',
        `{"level":"WARN","title":"x","properties":[${fill(bytes, (n) => `"p${n}"`)}]}`,
      ),
  ],
  [
    'up/log',
    'a long line',
    (place) => envelope(place, 'fds.log.v1', `{"level":"INFO","message":"${'x'.repeat(bytes)}"}`),
  ],
  [
    'up/rsp',
    'an answer of many records',
    (place) =>
      envelope(
        place,
        'fds.assembly.response.v1',
        `{"requestUuid":"${place.transactionUuid}","part":1,"last":true,"records":[${fill(bytes, () => '{"drKey":{},"data":{}}')}]}`,
      ),
  ],
  ...(['up/data', 'up/link', 'up/ops', 'up/status', 'up/log', 'up/rsp', 'up/ack', 'up/hello'] as const).flatMap(
    (channel): Payload[] => [
      [channel, 'a list of lists', () => `[${fill(bytes, () => '[1]')}]`],
      [channel, 'long numbers', () => `[${fill(bytes, () => '12345678901234567')}]`],
      [channel, 'nested lists', () => '['.repeat(bytes)],
    ],
  ),
];

/** Messages of adaptors. */
const messagePieces = payloads.map(([channel, input, write]): HostilePiece => ({
  door: `bus ${channel}`,
  input,
  send: async ({ adaptors: [adaptor] }) => {
    if (adaptor === undefined) throw new Error('the stage has no adaptor');
    const place = adaptor.place();
    await adaptor.say(channel, write(place));
    // a valid event after it shows that the message has been handled
    await adaptor.say('up/data', envelope(place, 'fds.data.v1', eventData(place, JSON.stringify(validRecord))));
    await adaptor.untilDone(place);
  },
}));

const assemblyBytes = 990_000;
const uuidOf = (n: number): string => `"01890000-0000-7000-8000-${String(n).padStart(12, '0')}"`;

const requests: readonly (readonly [input: string, members: () => string])[] = [
  [
    'many DR Keys',
    () => `"drKeys":[${fill(assemblyBytes, (n) => `{"id":"a${n}","count":1,"share":0.5,"open":true}`)}]`,
  ],
  ['wrong DR Keys', () => `"drKeys":[${fill(assemblyBytes, () => '{"id":1}')}]`],
  ['DR Keys that are not objects', () => `"drKeys":[${fill(assemblyBytes, () => '1')}]`],
  ['many uuids', () => `"drUuids":[${fill(assemblyBytes, uuidOf)}]`],
  ['many requested properties', () => `"requestedProperties":[${fill(assemblyBytes, (n) => `"p${n}"`)}]`],
  ['a long requested property', () => `"requestedProperties":["${'id.'.repeat(assemblyBytes / 3)}"]`],
  ['many adaptors', () => `"adaptors":[${fill(assemblyBytes, uuidOf)}]`],
  ['a long sort', () => `"sort":"${'id,'.repeat(assemblyBytes / 3)}"`],
  ['a long query', () => `"query":"${'id:a OR '.repeat(assemblyBytes / 8)}"`],
  ['wide parameters', () => `"additionalParams":{${fill(assemblyBytes, (n) => `"m${n}":1`)}}`],
  ['unknown members', () => fill(assemblyBytes, (n) => `"m${n}":1`)],
];

const assemblyPieces = requests.map(([input, write]): HostilePiece => ({
  door: 'POST /request',
  input,
  send: async ({ doors: { service, dgs, root } }) => {
    await ask({
      url: `${service.assemblyUrl}/request`,
      body: `{"zoneUuid":"${root}","domain":"store","versionNumber":1,"timeout":1,${write()}}`,
      headers: { authorization: `Bearer ${dgs.token ?? ''}` },
    });
  },
}));

/** Messages of adaptors, and requests to the assembly service. */
export const busPieces: readonly HostilePiece[] = [...messagePieces, ...assemblyPieces];
