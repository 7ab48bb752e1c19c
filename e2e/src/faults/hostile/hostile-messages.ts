import { buildMessage, formatSequence, maxPayloadBytes, type Channel } from '@fds/adaptor-protocol';
import { countedEvent } from '../../programs/ledger/counted-event.js';

/** The sequence number of a hostile message, and the valid values of its envelope. */
export interface Place {
  readonly epoch: string;
  readonly sequence: number;
  readonly id: string;
  readonly source: string;
  readonly time: string;
  readonly transactionUuid: string;
}

/**
 * ISSUE: the message uses its sequence number, and a data issue explains why it has no effect. DROPPED: the message has
 * no readable number and is ignored. TAKEN: the message is unusual but valid.
 */
type Fate = 'ISSUE' | 'DROPPED' | 'TAKEN';

export interface HostileMessage {
  readonly name: string;
  readonly fate: Fate;
  readonly write: (place: Place) => string | Uint8Array;
}

const recordId = ({ sequence }: Place): string => `hostile-${sequence}`;

const envelope = ({ epoch, sequence, id, source, time }: Place): Record<string, unknown> => ({
  specversion: '1.0',
  id,
  source,
  type: 'fds.data.v1',
  time,
  datacontenttype: 'application/json',
  epoch,
  sequence: formatSequence(sequence),
});

const record = (place: Place): Record<string, unknown> => ({ ...countedEvent('x', 1, 0), id: recordId(place) });

const event = (place: Place): Record<string, unknown> => ({
  action: 'PUT',
  domain: 'counter',
  version: 1,
  transactionUuid: place.transactionUuid,
  createTime: 1,
  json: record(place),
});

/** A valid message with some members of its event replaced. */
const withEvent = (place: Place, members: object): string =>
  JSON.stringify({ ...envelope(place), data: { ...event(place), ...members } });
/** A valid message with some members of its record replaced. */
const withRecord = (place: Place, members: object): string =>
  withEvent(place, { json: { ...record(place), ...members } });
/** A valid message with some members of its envelope replaced. */
const withEnvelope = (place: Place, members: object): string =>
  JSON.stringify({ ...envelope(place), data: event(place), ...members });

/** The event in a batch, with a number that is `offset` above its place. */
const inBatch = (place: Place, offset: number, members: object = {}): object => ({
  id: place.id,
  type: 'fds.data.v1',
  sequence: formatSequence(place.sequence + offset),
  data: event(place),
  ...members,
});
const withEvents = (place: Place, events: readonly object[], members: object = {}): string =>
  JSON.stringify({
    ...envelope(place),
    type: 'fds.data.batch.v1',
    sequence: undefined,
    data: { events },
    ...members,
  });

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

/** Replaces the string `HERE` of a valid message by the text. */
const inserted = (message: string, text: string): string => message.replace('"HERE"', text);

const brokenUtf8 = (message: string): Uint8Array => {
  const bytes = Buffer.from(message);
  bytes[bytes.indexOf('HERE')] = 0xff;
  return bytes;
};

const message = (name: string, fate: Fate, write: HostileMessage['write']): HostileMessage => ({ name, fate, write });

export const hostileMessages: readonly HostileMessage[] = [
  // records that the model refuses
  message('a text for an integer', 'ISSUE', (place) => withRecord(place, { n: 'many' })),
  message('an object for a text', 'ISSUE', (place) => withRecord(place, { note: { $ne: null } })),
  message('a record without its DR Key', 'ISSUE', (place) => withRecord(place, { id: null })),
  message('a property that the model does not have', 'ISSUE', (place) => withRecord(place, { other: 1 })),
  message('a text that no database can store', 'ISSUE', (place) =>
    withRecord(place, { id: `\u0000${recordId(place)}` }),
  ),
  message('a number beyond all limits', 'ISSUE', (place) => inserted(withRecord(place, { n: 'HERE' }), '1e400')),
  message('a deeply nested value', 'ISSUE', (place) => inserted(withRecord(place, { note: 'HERE' }), nested(5_000))),
  message('jsonData that is not JSON', 'ISSUE', (place) => withEvent(place, { json: undefined, jsonData: '{"id":' })),
  message('jsonData with a text that no database can store', 'ISSUE', (place) =>
    withEvent(place, { json: undefined, jsonData: JSON.stringify({ ...record(place), note: '\u0000' }) }),
  ),
  message('a domain that no database can store', 'ISSUE', (place) => withEvent(place, { domain: 'a\u0000' })),
  message('a surrogate without its pair', 'ISSUE', (place) => withRecord(place, { note: '\ud800' })),
  message('an id that no database can store', 'ISSUE', (place) => withEnvelope(place, { id: '\u0000' })),
  message('jsonData that is a list', 'ISSUE', (place) => withEvent(place, { json: undefined, jsonData: '[]' })),
  // members that try to change the prototype
  message('__proto__ in the record', 'ISSUE', (place) =>
    withRecord(place, { HERE: 1 }).replace('"HERE":1', '"__proto__":{"polluted":true}'),
  ),
  message('constructor in the record', 'ISSUE', (place) =>
    withRecord(place, { constructor: { prototype: { polluted: true } } }),
  ),
  message('__proto__ in the envelope', 'TAKEN', (place) =>
    withEnvelope(place, { HERE: 1 }).replace('"HERE":1', '"__proto__":{"polluted":true}'),
  ),
  message('a domain named __proto__', 'ISSUE', (place) => withEvent(place, { domain: '__proto__' })),
  // messages that are not valid events
  message('an unknown domain', 'ISSUE', (place) => withEvent(place, { domain: 'nowhere' })),
  message('a version that does not exist', 'ISSUE', (place) => withEvent(place, { version: 99 })),
  message('an unknown action', 'ISSUE', (place) => withEvent(place, { action: 'DROP TABLE' })),
  message('a transaction that is not a UUID', 'ISSUE', (place) => withEvent(place, { transactionUuid: "'; --" })),
  message('no record at all', 'ISSUE', (place) => withEvent(place, { json: undefined })),
  message('a list for the event', 'ISSUE', (place) => withEnvelope(place, { data: [] })),
  message('an unknown type', 'ISSUE', (place) => withEnvelope(place, { type: 'fds.other.v1' })),
  message('a time that is not a time', 'ISSUE', (place) => withEnvelope(place, { time: 'yesterday' })),
  message('another version of CloudEvents', 'ISSUE', (place) => withEnvelope(place, { specversion: 0.3 })),
  message('bytes that are not UTF-8', 'ISSUE', (place) => brokenUtf8(withRecord(place, { note: 'HERE' }))),
  // messages without a readable sequence number
  message('a sequence that is a number', 'DROPPED', (place) => withEnvelope(place, { sequence: place.sequence })),
  message('a sequence far ahead', 'DROPPED', (place) => withEnvelope(place, { sequence: '9007199254740991' })),
  message('a sequence beyond 64 bits', 'DROPPED', (place) => withEnvelope(place, { sequence: '9'.repeat(40) })),
  message('an unknown epoch', 'DROPPED', (place) =>
    withEnvelope(place, { epoch: '00000000-0000-7000-8000-000000000000' }),
  ),
  message('an epoch that is an object', 'DROPPED', (place) => withEnvelope(place, { epoch: {} })),
  message('incomplete JSON', 'DROPPED', (place) => withEnvelope(place, {}).slice(0, -10)),
  message('nothing', 'DROPPED', () => ''),
  message('null', 'DROPPED', () => 'null'),
  message('a text', 'DROPPED', () => '"hello"'),
  message('random bytes', 'DROPPED', () => Uint8Array.from({ length: 1000 }, (_, index) => (index * 37) % 256)),
  message('endless brackets', 'DROPPED', () => '['.repeat(maxPayloadBytes - 100)),
  message('endless objects', 'DROPPED', () => '{"a":'.repeat(40_000)),
  // batches
  message('a batch with its own sequence', 'DROPPED', (place) =>
    withEvents(place, [inBatch(place, 0)], { sequence: formatSequence(place.sequence) }),
  ),
  message('a batch without events', 'DROPPED', (place) => withEvents(place, [])),
  message('a batch in a wrong order', 'DROPPED', (place) => withEvents(place, [inBatch(place, 1), inBatch(place, 0)])),
  message('a batch with a number twice', 'DROPPED', (place) =>
    withEvents(place, [inBatch(place, 0), inBatch(place, 0)]),
  ),
  message('a batch with a gap', 'DROPPED', (place) => withEvents(place, [inBatch(place, 0), inBatch(place, 2)])),
  message('a batch of two epochs', 'DROPPED', (place) =>
    withEvents(place, [inBatch(place, 0), inBatch(place, 1, { epoch: '00000000-0000-7000-8000-000000000000' })]),
  ),
  message('a batch of an unknown epoch', 'DROPPED', (place) =>
    withEvents(place, [inBatch(place, 0)], { epoch: '00000000-0000-7000-8000-000000000000' }),
  ),
  message('a batch without an epoch', 'DROPPED', (place) =>
    withEvents(place, [inBatch(place, 0)], { epoch: undefined }),
  ),
  message('a batch of 10 000 events', 'DROPPED', (place) =>
    withEvents(
      place,
      Array.from({ length: 10_000 }, (_, offset) => ({ sequence: String(place.sequence + offset) })),
    ),
  ),
  message('a batch far ahead', 'DROPPED', (place) => withEvents(place, [inBatch(place, 1_000_000)])),
  message('a batch in a batch', 'ISSUE', (place) =>
    withEvents(place, [inBatch(place, 0, { type: 'fds.data.batch.v1', data: { events: [inBatch(place, 0)] } })]),
  ),
  message('a batch whose event is a list', 'ISSUE', (place) => withEvents(place, [inBatch(place, 0, { data: [] })])),
  message('a batch whose event has no id', 'ISSUE', (place) => withEvents(place, [inBatch(place, 0, { id: null })])),
  message('__proto__ in an event of a batch', 'TAKEN', (place) =>
    withEvents(place, [inBatch(place, 0, { HERE: 1 })]).replace('"HERE":1', '"__proto__":{"polluted":true}'),
  ),
  message('a batch of one event', 'TAKEN', (place) => withEvents(place, [inBatch(place, 0)])),
  // unusual but valid
  message('a key of 100 000 characters', 'TAKEN', (place) =>
    withRecord(place, { id: recordId(place).padEnd(100_000) }),
  ),
  message('unknown members', 'TAKEN', (place) => withEnvelope(place, { extra: { deep: [1, 2, 3] } })),
];

const stamp = { id: 'unstorable', source: '/adaptors/a', time: '2026-11-21T10:00:00Z' };

/** Messages outside the sequence with text that no database can store. */
export const unstorableMessages: readonly (readonly [Channel, string])[] = ['\u0000', '\ud800'].flatMap((text) => {
  const { id, source, time } = stamp;
  const link = { action: 'LINK', domain: 'counter', version: 1 } as const;
  const links = [
    { ...link, domain: text },
    { ...link, drKey: { id: text } },
  ];
  const sdk = { name: text, version: '1' };
  const answer = { requestId: text, operation: 'PLAY', accepted: false, state: 'ERROR', message: text } as const;
  const error = { level: 'ERROR', kind: 'DATA', message: text } as const;
  return [
    ...links.map((each): [Channel, string] => [
      'up/link',
      buildMessage('up/link', { id, source, time, type: 'fds.link.v1', data: { links: [each] } }),
    ]),
    [
      'up/status',
      buildMessage('up/status', {
        id: `${id}${text}`,
        source,
        time,
        type: 'fds.status.v1',
        data: { state: 'STARTED', stateMessage: text, sdk },
      }),
    ],
    ['up/ops', buildMessage('up/ops', { id, source, time, type: 'fds.ops.answer.v1', data: answer })],
    ['up/ops', buildMessage('up/ops', { id, source, time, type: 'fds.adaptor.error.v1', data: error })],
    [
      'up/log',
      buildMessage('up/log', { id, source, time, type: 'fds.log.v1', data: { level: 'INFO', message: text } }),
    ],
  ];
});
