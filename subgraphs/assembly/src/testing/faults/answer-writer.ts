import type { JsonObject, JsonValue } from '@fds/json';
import type { Random } from '@fds/testing';
import type { Behaviour } from './assembly-case.js';
import { propertyNames, type World } from './world.js';

/** A request message that an adaptor received. */
export interface AskedQuestion {
  readonly adaptorUuid: string;
  readonly requestUuid: string;
  readonly records: readonly { readonly drUuid: string; readonly drKey: JsonObject }[];
  readonly requestedProperties: readonly string[] | null;
}

/** A message to the server. */
export interface SentMessage {
  /** The sender that the bus reports. */
  readonly adaptorUuid: string;
  readonly kind: 'rsp' | 'status';
  readonly payload: string;
}

const envelope = (adaptorUuid: string, id: string, type: string, data: JsonObject): string =>
  JSON.stringify({
    specversion: '1.0',
    id,
    source: `/adaptors/${adaptorUuid}`,
    type,
    time: '2026-01-01T00:00:00Z',
    datacontenttype: 'application/json',
    data,
  });

/** An answer in its envelope. */
export const answerMessage = (adaptorUuid: string, id: string, data: JsonObject): SentMessage => ({
  adaptorUuid,
  kind: 'rsp',
  payload: envelope(adaptorUuid, id, 'fds.assembly.answer.v1', data),
});

/** A report of an adaptor's state. */
export const stateMessage = (adaptorUuid: string, id: string, state: 'DOWN' | 'STARTED'): SentMessage => ({
  adaptorUuid,
  kind: 'status',
  payload: envelope(adaptorUuid, id, 'fds.status.v1', { state, sdk: { name: 'test', version: '1' } }),
});

/** Text of a message that exceeds the limit of an answer. */
const hugeBytes = 300_000;

const words = ['red', 'green', 'blue', ''];

const goodValues: Readonly<Record<string, (random: Random) => JsonValue>> = {
  id: (random) => random.below(9),
  zip: (random) => random.below(9),
  score: (random) => random.below(90) / 10,
  active: (random) => random.chance(0.5),
  address: (random) => ({
    ...(random.chance(0.7) ? { [random.pick(['City', 'city', 'CITY'])]: random.pick(words) } : {}),
    ...(random.chance(0.7)
      ? { geo: random.pick([null, { lat: 1.5 }, { LON: 2, lat: random.below(9), alt: 'x' }]) }
      : {}),
    ...(random.chance(0.2) ? { street: 'not in the model' } : {}),
  }),
  tags: (random) =>
    Array.from({ length: random.below(3) }, () => ({
      ...(random.chance(0.8) ? { label: random.pick([...words, null]) } : {}),
      ...(random.chance(0.8) ? { Weight: random.below(9) } : {}),
    })),
};

const deepValue = (): JsonValue => {
  let value: JsonValue = 'deep';
  for (let depth = 0; depth < 200; depth += 1) value = [value];
  return value;
};

const badValues: readonly ((random: Random) => JsonValue)[] = [
  () => ['a list'],
  () => ({ an: 'object' }),
  deepValue,
  () => ({ City: 5 }),
  () => ({ geo: { lat: 'text' } }),
  () => [{ label: 5 }],
  () => [null],
  () => 1.25,
  () => true,
  () => 'text',
];

const randomValue = (random: Random, name: string): JsonValue => {
  const kind = random.below(20);
  if (kind < 2) return null;
  if (kind < 4) return random.pick(badValues)(random);
  return (goodValues[name] ?? ((): JsonValue => random.pick(words)))(random);
};

const randomData = (random: Random, asked: readonly string[] | null): JsonObject => {
  const obeys = random.chance(0.5);
  const names = propertyNames.filter((name) => !obeys || asked === null || asked.includes(name));
  const members = random
    .some(names, 0.7)
    .map((name): [string, JsonValue] => [random.chance(0.1) ? name.toUpperCase() : name, randomValue(random, name)]);
  if (random.chance(0.1)) members.push(['unknown', 'x'], ['toString', 'x']);
  if (random.chance(0.1)) members.push(['__proto__', { name: 'polluted' }]);
  if (random.chance(0.05)) members.push(['NAME', 'second'], ['name', 'third']);
  return Object.fromEntries(random.chance(0.3) ? random.shuffled(members) : members);
};

const someTimestamps = (random: Random): number[] =>
  Array.from({ length: random.below(4) }, () => 100 * random.below(6));

type SentRecord = Record<string, JsonValue | undefined>;

const randomRecords = (random: Random, question: AskedQuestion, world: World, isSearch: boolean): SentRecord[] =>
  question.records.flatMap(({ drUuid, drKey }): SentRecord[] => {
    const kind = random.below(20);
    if (kind === 0) return [];
    const write = (uuid: string): SentRecord => ({
      ...(random.chance(0.15) ? {} : { drUuid: random.chance(0.1) ? uuid.toUpperCase() : uuid }),
      drKey: uuid === drUuid ? drKey : { id: 987654 },
      data: random.chance(0.1) ? null : randomData(random, question.requestedProperties),
      ...(random.chance(0.4) ? { lastUpdated: 500 * random.below(7) } : {}),
      ...(random.chance(0.3) ? { additionalParams: { note: random.below(100) } } : {}),
      ...(isSearch && random.chance(0.5) ? { timestamps: someTimestamps(random) } : {}),
    });
    if (kind === 1) return [write(random.uuid())];
    if (kind === 2) return [write(random.pick(world.records).uuid), write(drUuid)];
    if (kind === 3) return [write(drUuid), write(drUuid)];
    return [write(drUuid)];
  });

/** Messages of one adaptor that answer one question. */
export interface WrittenAnswer {
  readonly inTime: readonly SentMessage[];
  /** Messages after the end of the assembly. */
  readonly late: readonly SentMessage[];
}

/** Writes the messages with which an adaptor of a given behaviour answers a question. */
export const writeAnswer = (
  random: Random,
  question: AskedQuestion,
  behaviour: Behaviour,
  world: World,
  isSearch: boolean,
): WrittenAnswer => {
  const { adaptorUuid, requestUuid } = question;
  const message = (data: JsonObject): SentMessage => answerMessage(adaptorUuid, random.uuid(), data);
  const failure = (part: number): SentMessage =>
    message({ requestUuid, part, last: true, records: [], error: { code: 'SOURCE', message: 'no connection' } });
  if (behaviour === 'ERROR') return { inTime: [failure(1)], late: [] };
  if (behaviour === 'UNREADABLE')
    return { inTime: [message({ requestUuid, part: 1, last: true, records: 'none' })], late: [] };
  if (behaviour === 'EMPTY') return { inTime: [message({ requestUuid, part: 1, last: true, records: [] })], late: [] };
  if (behaviour === 'HUGE') {
    const records = [{ drUuid: question.records[0]?.drUuid, drKey: {}, data: { name: 'x'.repeat(hugeBytes) } }];
    return { inTime: [message({ requestUuid, part: 1, last: true, records })], late: [] };
  }

  const records = randomRecords(random, question, world, isSearch) as JsonObject[];
  const partCount = behaviour === 'ANSWER' || behaviour === 'LATE' ? 1 + random.below(3) : 2 + random.below(2);
  const parts = Array.from({ length: partCount }, (_, index) =>
    message({
      requestUuid,
      part: index + 1,
      last: index === partCount - 1 && behaviour !== 'NOT_ENDED',
      records: records.filter((_record, place) => place % partCount === index),
      ...(isSearch && random.chance(0.5) ? { timestamps: someTimestamps(random) } : {}),
    }),
  );
  if (behaviour === 'GOES_DOWN') {
    return { inTime: [...parts.slice(0, -1), stateMessage(adaptorUuid, random.uuid(), 'DOWN')], late: parts.slice(-1) };
  }
  if (behaviour === 'LATE') return { inTime: [], late: parts };
  if (behaviour === 'ERROR_AFTER_PART') return { inTime: [...parts.slice(0, 1), failure(2)], late: [] };
  const missing = behaviour === 'PART_MISSING' ? random.below(partCount) : -1;
  const sent = parts.filter((_, index) => index !== missing);
  const repeated = random.chance(0.2) && sent.length > 0 ? [random.pick(sent)] : [];
  const ordered = random.chance(0.3) ? random.shuffled([...sent, ...repeated]) : [...sent, ...repeated];
  return { inTime: ordered, late: parts.filter((_, index) => index === missing) };
};

/** Messages that do not answer a question of their sender. */
export const writeNoise = (random: Random, question: AskedQuestion, world: World): SentMessage[] => {
  const answer = (sender: string, requestUuid: string): SentMessage =>
    answerMessage(sender, random.uuid(), {
      requestUuid,
      part: 1,
      last: true,
      records: question.records.map(({ drUuid, drKey }) => ({
        drUuid,
        drKey,
        data: { name: 'foreign', city: 'foreign' },
      })),
    });
  const other = random.pick(world.adaptors).uuid;
  return random.some(
    [
      ...(other === question.adaptorUuid ? [] : [answer(other, question.requestUuid)]),
      answer(question.adaptorUuid, random.uuid()),
      { adaptorUuid: question.adaptorUuid, kind: 'rsp', payload: 'no JSON' },
    ],
    0.15,
  );
};
