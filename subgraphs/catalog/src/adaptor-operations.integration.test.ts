import { adaptorSource, buildMessage, type AdaptorMetrics, type OpsRequest } from '@fds/adaptor-protocol';
import { createLog } from '@fds/service';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { v7 as newUuid } from 'uuid';
import { createAdaptorCounts } from './store/operations/adaptor-counts.js';
import { createDomainCalls } from './testing/domain-calls.js';
import { openCatalog, type Answer, type TestCatalog } from './testing/open-catalog.js';

let catalog: TestCatalog;
let z: string;
let adaptor: string;
/** Lines that all processes write to the central log. */
const lines: Record<string, unknown>[] = [];

const minuteMs = 60_000;
const presentMinute = (): number => Math.floor(Date.now() / minuteMs);
const log = createLog('debug', {}, { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) });

beforeAll(async () => {
  catalog = await openCatalog({ log });
  z = catalog.rootZoneUuid;
  // two more processes on the same broker
  await catalog.restart({});
  await catalog.restart({});
});
afterAll(() => catalog?.close());

const newAdaptor = async (): Promise<string> => {
  const { data } = await catalog.run(
    'mutation($z: Uuid!) { created: createAdaptor(zoneUuid: $z, input: {name: "crm"}) { clientId } }',
    { z },
  );
  return String(data['created']?.['clientId']);
};
const connect = async (): Promise<void> => {
  await catalog.report(adaptor, 'STARTING');
  await catalog.report(adaptor, 'STARTED');
};
beforeEach(async () => {
  adaptor = await newAdaptor();
  catalog.answerWith(() => undefined);
  catalog.takeSent();
  lines.length = 0;
});

const ask = (field: string, selection: string, args = '', variables: object = {}): Promise<Answer> =>
  catalog.run(`query($z: Uuid!, $a: Uuid!) { r: ${field}(zoneUuid: $z, adaptorUuid: $a${args}) { ${selection} } }`, {
    z,
    a: adaptor,
    ...variables,
  });
const change = (field: string, selection: string, args = ''): Promise<Answer> =>
  catalog.run(`mutation($z: Uuid!, $a: Uuid!) { r: ${field}(zoneUuid: $z, adaptorUuid: $a${args}) { ${selection} } }`, {
    z,
    a: adaptor,
  });
const health = (): Promise<Answer> => ask('adaptorHealth', 'adaptorUuid requestId status uptime');

interface Metric {
  readonly type: string;
  readonly period: string;
  readonly dateCount: readonly { readonly date: string; readonly count: number }[];
}
const metrics = async (args = ''): Promise<Readonly<Record<string, Metric['dateCount']>>> => {
  const answer = await ask('adaptorMetrics', 'adaptorMetricsDetail { type period dateCount { date count } }', args);
  const detail = (answer.data['r']?.['adaptorMetricsDetail'] ?? []) as readonly Metric[];
  return Object.fromEntries(detail.map(({ type, period, dateCount }) => [`${type} ${period}`, dateCount]));
};

describe('health', () => {
  it('is the answer of the adaptor, on any process', async () => {
    await connect();
    catalog.answerWith(({ requestId, operation }) => ({
      requestId,
      operation,
      accepted: true,
      health: { status: 'UP', uptime: 1234 },
    }));
    const { data } = await health();
    expect(data['r']).toMatchObject({ adaptorUuid: adaptor, status: 'UP', uptime: 1234 });
    const asked = catalog.takeSent().filter(({ operation }) => operation === 'HEALTH');
    expect(asked).toEqual([{ operation: 'HEALTH', requestId: data['r']?.['requestId'] }]);
  });

  it('is DOWN without a question when the adaptor is not connected, and DOWN when it does not answer or refuses', async () => {
    await connect();
    const down = { adaptorUuid: adaptor, status: 'DOWN', uptime: 0 };
    expect((await health()).data['r']).toMatchObject(down);
    catalog.answerWith(({ requestId, operation }) => ({ requestId, operation, accepted: false, message: 'no' }));
    expect((await health()).data['r']).toMatchObject(down);
    await catalog.report(adaptor, 'DOWN');
    catalog.takeSent();
    expect((await health()).data['r']).toMatchObject(down);
    expect(catalog.takeSent()).toEqual([]);
  });

  it('is DOWN at once when the adaptor disconnects during the question', async () => {
    const patient = await openCatalog({ answerTimeoutMs: 600_000 });
    try {
      const { data } = await patient.run(
        'mutation($z: Uuid!) { created: createAdaptor(zoneUuid: $z, input: {name: "crm"}) { clientId } }',
        { z: patient.rootZoneUuid },
      );
      const a = String(data['created']?.['clientId']);
      await patient.report(a, 'STARTED');
      patient.answerWith(({ operation }) => {
        if (operation === 'HEALTH') void patient.report(a, 'DOWN');
        return undefined;
      });
      const answer = await patient.run(
        'query($z: Uuid!, $a: Uuid!) { r: adaptorHealth(zoneUuid: $z, adaptorUuid: $a) { status } }',
        { z: patient.rootZoneUuid, a },
      );
      expect(answer.data['r']).toEqual({ status: 'DOWN' });
    } finally {
      await patient.close();
    }
  });

  it('is not found for an adaptor in another zone', async () => {
    for (const field of ['adaptorHealth { status }', 'adaptorMetrics { requestId }', 'adaptorQueue { messageCount }']) {
      const [name, selection] = field.split(' { ');
      const answer = await catalog.run(
        `query($z: Uuid!, $a: Uuid!) { r: ${name}(zoneUuid: $z, adaptorUuid: $a) { ${selection} }`,
        { z: newUuid(), a: adaptor },
      );
      expect(answer.code).toBe('NOT_FOUND');
    }
  });
});

describe('metrics', () => {
  /** Answers like an adaptor that keeps a history, as the SDK does. */
  const counting = (
    minutes: NonNullable<AdaptorMetrics['history']>['minutes'],
    atOnce = 2_000,
    timeZone = 'Asia/Kolkata',
  ) => {
    const asked: number[] = [];
    catalog.answerWith(({ operation, requestId, since }: OpsRequest) => {
      if (operation !== 'METRICS' || since === undefined) return undefined;
      asked.push(since);
      const found = minutes.filter(({ minute }) => minute >= since);
      const told = found.slice(0, atOnce);
      const more = found.length > atOnce;
      const until = more ? (told.at(-1)?.minute ?? 0) + 1 : presentMinute();
      const sum = (side: 'sent' | 'received'): number => minutes.reduce((total, one) => total + one[side], 0);
      const history = { from: since, until, minutes: told, more };
      return {
        requestId,
        operation,
        accepted: true,
        metrics: { sent: sum('sent'), received: sum('received'), timeZone, history },
      };
    });
    return asked;
  };

  it('are fetched once and are still known while the adaptor is away', async () => {
    const minute = presentMinute() - 60 * 24 * 3;
    const asked = counting([
      { minute, sent: 5, received: 0 },
      { minute: minute + 1, sent: 1, received: 2 },
    ]);
    await connect();
    const connected = await metrics();
    expect(connected['SENT MINUTE']?.map(({ count }) => count)).toEqual([5, 1]);
    expect(connected['RECEIVED MINUTE']).toEqual([{ date: new Date((minute + 1) * minuteMs).toISOString(), count: 2 }]);
    expect(connected['SENT ALL_TIME']?.map(({ count }) => count)).toEqual([6]);
    await catalog.report(adaptor, 'DOWN');
    const away = await metrics();
    for (const history of ['SENT DAY', 'SENT HOUR', 'SENT MINUTE', 'RECEIVED MINUTE']) {
      expect(away[history]).toEqual(connected[history]);
    }
    expect(away['SENT ALL_TIME']?.map(({ count }) => count)).toEqual([6]);
    expect(asked).toEqual([0]);
    await catalog.report(adaptor, 'STARTED');
    await metrics();
    expect(asked[1]).toBeGreaterThan(minute + 1);
  });

  it('are fetched in as many answers as necessary, without a gap', async () => {
    const first = presentMinute() - 100;
    const minutes = Array.from({ length: 90 }, (_, n) => ({ minute: first + n, sent: 1, received: n }));
    const asked = counting(minutes, 25);
    await connect();
    const { 'SENT MINUTE': told, 'SENT HOUR': hours } = await metrics();
    expect(told).toHaveLength(90);
    expect(hours?.reduce((sum, { count }) => sum + count, 0)).toBe(90);
    expect(asked).toEqual([0, first + 25, first + 50, first + 75]);
  });

  it('are split by the requested time zone, otherwise by that of the adaptor', async () => {
    const noon =
      Math.floor(Date.parse(new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10)) / minuteMs) + 720;
    counting([{ minute: noon, sent: 1, received: 0 }]);
    await connect();
    const dayOf = async (args = ''): Promise<string | undefined> => {
      const { 'SENT DAY': days, 'SENT HOUR': hours } = await metrics(args);
      return `${days?.[0]?.date.slice(11, 16)} ${hours?.[0]?.date.slice(11, 16)}`;
    };
    expect(await dayOf()).toBe('18:30 11:30');
    expect(await dayOf(', timeZone: "UTC"')).toBe('00:00 12:00');
    expect(await dayOf(', timeZone: "Pacific/Kiritimati"')).toBe('10:00 12:00');
    for (const name of ['Mars/Olympus', '+02:00', '', "UTC'"]) {
      expect((await ask('adaptorMetrics', 'requestId', `, timeZone: ${JSON.stringify(name)}`)).code).toBe(
        'INVALID_PARAMETER',
      );
    }
  });

  it('contain only the requested type and period', async () => {
    counting([{ minute: presentMinute(), sent: 1, received: 1 }]);
    await connect();
    expect(Object.keys(await metrics(', type: SENT, period: HOUR'))).toEqual(['SENT HOUR']);
  });

  it('that arrive without a request are received by all processes and counted once; 30 days are kept, and a clock that is ahead does no harm', async () => {
    await connect();
    const present = presentMinute();
    const minutes = [
      { minute: present - 60 * 24 * 31, sent: 9, received: 9 },
      { minute: present - 1, sent: 3, received: 0 },
      { minute: present - 1, sent: 2, received: 1 },
      { minute: present + 60, sent: 9, received: 9 },
    ];
    const told = {
      sent: 3,
      received: 1,
      timeZone: 'Nowhere/Land',
      history: { from: 0, until: present + 60, minutes, more: false },
    };
    const answer = { requestId: newUuid(), operation: 'METRICS', accepted: true, metrics: told } as const;
    await catalog.answer(adaptor, answer);
    await catalog.answer(adaptor, answer);
    await catalog.report(adaptor, 'DOWN');
    const { 'SENT MINUTE': sent, 'RECEIVED MINUTE': received, 'SENT DAY': days } = await metrics();
    expect([sent, received].map((counts) => counts?.map(({ count }) => count))).toEqual([[3], [1]]);
    expect(days).toHaveLength(1);
    const counts = await catalog.database.prisma.adaptorCounts.findUniqueOrThrow({ where: { adaptorUuid: adaptor } });
    expect(counts.knownUntil).toBeLessThanOrEqual(presentMinute());
    expect(counts.timeZone).toBeNull();
  });

  it('are the growth of the totals for an adaptor that reports only totals', async () => {
    let told = { sent: 3, received: 1 };
    catalog.answerWith(({ operation, requestId }: OpsRequest) =>
      operation === 'METRICS' ? { requestId, operation, accepted: true, metrics: told } : undefined,
    );
    await connect();
    const countsOf = async (period: string): Promise<unknown[]> => {
      const known = await metrics();
      return ['SENT', 'RECEIVED'].map((type) =>
        known[`${type} ${period}`]?.reduce((sum: number, { count }: { readonly count: number }) => sum + count, 0),
      );
    };
    expect(await countsOf('DAY')).toEqual([3, 1]);
    told = { sent: 8, received: 1 };
    expect(await countsOf('MINUTE')).toEqual([8, 1]);
    // its journal is lost, so it counts from 0 again
    told = { sent: 2, received: 0 };
    expect(await countsOf('ALL_TIME')).toEqual([2, 0]);
    told = { sent: 4, received: 2 };
    expect(await countsOf('HOUR')).toEqual([10, 3]);
  });

  it('with minutes that cannot exist are accepted as far as possible', async () => {
    const history = { from: Number.MAX_SAFE_INTEGER, until: Number.MAX_SAFE_INTEGER, minutes: [], more: false };
    catalog.answerWith(({ operation, requestId }: OpsRequest) =>
      operation === 'METRICS'
        ? { requestId, operation, accepted: true, metrics: { sent: 3, received: 1, history } }
        : undefined,
    );
    await connect();
    const { 'SENT ALL_TIME': sent } = await metrics();
    expect(sent?.map(({ count }) => count)).toEqual([3]);
  });

  it('are empty for an adaptor that never reported', async () => {
    expect(await metrics()).toEqual(
      Object.fromEntries(
        ['SENT', 'RECEIVED'].flatMap((type) =>
          ['ALL_TIME', 'DAY', 'HOUR', 'MINUTE'].map((period) => [`${type} ${period}`, []]),
        ),
      ),
    );
  });
});

describe('the shutdown', () => {
  const newCode = async (): Promise<string> =>
    String((await change('createAdaptorShutdownCode', 'adaptorUuid code')).data['r']?.['code']);
  const shutDown = (code: string): Promise<Answer> =>
    change('shutDownAdaptor', 'adaptorUuid requestId acknowledged', `, code: ${JSON.stringify(code)}`);

  it('requires the latest code, which works once; only a digest is stored', async () => {
    await connect();
    catalog.answerWith(({ requestId, operation }) => ({ requestId, operation, accepted: true, acknowledged: true }));
    const [old, code] = [await newCode(), await newCode()];
    const kept = await catalog.database.prisma.adaptorShutdownCode.findUniqueOrThrow({
      where: { adaptorUuid: adaptor },
    });
    expect(Buffer.from(kept.codeDigest).toString('hex')).not.toContain(code.replaceAll('-', ''));
    expect(kept.expiresAt.getTime() - Date.now()).toBeGreaterThan(9 * minuteMs);
    expect(kept.expiresAt.getTime() - Date.now()).toBeLessThanOrEqual(10 * minuteMs);
    catalog.takeSent();
    for (const wrong of [old, newUuid(), 'x', '']) expect((await shutDown(wrong)).code).toBe('WRONG_SHUTDOWN_CODE');
    expect(catalog.takeSent()).toEqual([]);
    const { data } = await shutDown(code);
    expect(data['r']).toMatchObject({ adaptorUuid: adaptor, acknowledged: true });
    expect(catalog.takeSent()).toEqual([{ operation: 'SHUTDOWN', requestId: data['r']?.['requestId'], code }]);
    expect((await shutDown(code)).code).toBe('WRONG_SHUTDOWN_CODE');
  });

  it('requires a code and an existing adaptor', async () => {
    const { code, causes } = await change('shutDownAdaptor', 'acknowledged');
    expect([code, causes]).toEqual(['INVALID_PARAMETER', ['code REQUIRED']]);
    adaptor = newUuid();
    expect((await shutDown('x')).code).toBe('NOT_FOUND');
    expect((await change('createAdaptorShutdownCode', 'code')).code).toBe('NOT_FOUND');
  });

  it('accepts the code from one of two simultaneous requests', async () => {
    const code = await newCode();
    const answers = await Promise.all([shutDown(code), shutDown(code)]);
    expect(answers.map((answer) => answer.code ?? 'done').sort()).toEqual(['WRONG_SHUTDOWN_CODE', 'done']);
  });

  it('is not acknowledged when the adaptor is away, and uses up the code', async () => {
    const code = await newCode();
    expect((await shutDown(code)).data['r']).toMatchObject({ acknowledged: false });
    expect((await shutDown(code)).code).toBe('WRONG_SHUTDOWN_CODE');
  });

  it('refuses a code that is too old', async () => {
    const code = await newCode();
    const expiresAt = new Date(Date.now() - 1);
    await catalog.database.prisma.adaptorShutdownCode.update({ where: { adaptorUuid: adaptor }, data: { expiresAt } });
    expect((await shutDown(code)).code).toBe('WRONG_SHUTDOWN_CODE');
  });
});

describe('the queue', () => {
  const queue = async (): Promise<unknown> =>
    (
      await ask(
        'adaptorQueue',
        'messageCount oldestMessageDate inFlightCount deliveredCount acknowledgedCount consumerConnected',
      )
    ).data['r'];

  it('is empty for an adaptor without a channel', async () => {
    expect(await queue()).toEqual({
      messageCount: 0,
      oldestMessageDate: null,
      inFlightCount: 0,
      deliveredCount: 0,
      acknowledgedCount: 0,
      consumerConnected: false,
    });
  });

  it('counts the waiting, in-flight and acknowledged messages', async () => {
    const { prisma } = catalog.database;
    const channel = { downEpoch: newUuid(), downSequence: 10n, downAcked: 4n, downSent: 7n, downBase: 2n };
    await prisma.adaptorChannel.create({ data: { adaptorUuid: adaptor, ...channel } });
    const dateCreated = new Date('2026-01-01T00:00:00Z');
    for (const sequence of [4n, 5n, 6n]) {
      const row = {
        adaptorUuid: adaptor,
        eventUuid: newUuid(),
        recordUuid: newUuid(),
        action: 'PUT',
        removedProperties: [],
      };
      await prisma.delivery.create({
        data: { ...row, sequence, dateCreated: new Date(dateCreated.getTime() + Number(sequence) * minuteMs) },
      });
    }
    const waiting = {
      messageCount: 6,
      oldestMessageDate: '2026-01-01T00:05:00.000Z',
      deliveredCount: 7,
      acknowledgedCount: 4,
    };
    expect(await queue()).toEqual({ ...waiting, inFlightCount: 0, consumerConnected: false });
    await connect();
    expect(await queue()).toEqual({ ...waiting, inFlightCount: 3, consumerConnected: true });
  });
});

describe('several processes on one broker', () => {
  it('handle a report once: they send one START and change the state once', async () => {
    await catalog.report(adaptor, 'STARTING');
    expect(catalog.takeSent().map(({ operation }) => operation)).toEqual(['START']);
    await catalog.report(adaptor, 'STARTED');
    await Promise.all((['DOWN', 'STARTING', 'STARTED'] as const).map((state) => catalog.report(adaptor, state)));
    const logged = await catalog.database.prisma.changeLogEntry.findMany({
      where: { resourceUuid: adaptor, resourceType: 'AdaptorState' },
      orderBy: { position: 'asc' },
    });
    const states = logged.map(({ data }) => (JSON.parse(data ?? '{}') as { state: string }).state);
    expect(states).toEqual(['STARTING', 'STARTED', 'DOWN', 'STARTING', 'STARTED']);
  });

  it('request the counts of connected adaptors one after the other, and not again for a while', async () => {
    await connect();
    const away = await newAdaptor();
    const counts = [1, 2].map(() => createAdaptorCounts({ database: catalog.database, now: () => new Date() }));
    const claims = (await Promise.all(counts.map((one) => one.claimUnasked(minuteMs)))).flat();
    expect(claims.filter((uuid) => uuid === adaptor)).toHaveLength(1);
    expect(claims).not.toContain(away);
    expect(await counts[0]?.claimUnasked(minuteMs)).not.toContain(adaptor);
    expect(await counts[1]?.claimUnasked(0)).toContain(adaptor);
  });

  it('repeat an order to an adaptor that does not confirm it', async () => {
    await connect();
    const told = new Promise<void>((resolve) => {
      let times = 0;
      catalog.answerWith(({ operation }, a) => {
        if (a === adaptor && operation === 'PAUSE' && (times += 1) === 3) resolve();
        return undefined;
      });
    });
    const pause =
      'mutation($z: Uuid!, $a: Uuid!) { r: patchAdaptor(zoneUuid: $z, adaptorUuid: $a, input: {state: PAUSE}) { state } }';
    expect((await catalog.run(pause, { z, a: adaptor })).data['r']).toEqual({ state: 'PAUSING' });
    await catalog.restart({ remindEveryMs: 20 });
    await told;
    await catalog.report(adaptor, 'PAUSED');
  });
});

describe('log entries of adaptors', () => {
  const entry = (message: string, level = 'ERROR'): string =>
    buildMessage('up/log', {
      id: newUuid(),
      source: adaptorSource(adaptor),
      time: new Date().toISOString(),
      type: 'fds.log.v1',
      data: { level: level as 'ERROR', message },
    });
  const logged = () => lines.filter((line) => line['msg'] === 'log entry of an adaptor');

  it('appear as one line of the central log, written by one process, with credentials masked and the length limited', async () => {
    await catalog.deliver(adaptor, 'log', entry('the source is away: password=hunter2'));
    await catalog.deliver(adaptor, 'log', entry('x'.repeat(10_000), 'INFO'));
    await catalog.deliver(adaptor, 'log', '{"no": "envelope"}');
    expect(logged()).toMatchObject([
      { entryType: 'ADAPTOR_ERROR', 'source-adaptor-uuid': adaptor, message: 'the source is away: password=***' },
      { entryType: 'ADAPTOR_LOG', 'source-adaptor-uuid': adaptor, message: 'x'.repeat(2_000) },
    ]);
  });

  it('are limited in rate, and the dropped ones are counted', async () => {
    const began = Date.now();
    for (let n = 0; n < 200; n += 1) await catalog.deliver(adaptor, 'log', entry(`entry ${n}`));
    // 50 at once and 5 for each second that it took, in each of three processes, which may let different entries
    // through
    const most = 3 * (50 + 5 * Math.ceil((Date.now() - began) / 1_000));
    expect(logged().length).toBeGreaterThanOrEqual(50);
    expect(logged().length).toBeLessThanOrEqual(Math.min(most, 199));
  });

  it('an error of kind DATA becomes one ADAPTOR_ERROR issue and is logged without its text; any other error is logged with its text', async () => {
    const error = (kind: 'DATA' | 'SOURCE', message: string): string =>
      buildMessage('up/ops', {
        id: newUuid(),
        source: adaptorSource(adaptor),
        time: new Date().toISOString(),
        type: 'fds.adaptor.error.v1',
        data: { level: 'ERROR', kind, message },
      });
    const onData = error('DATA', 'the row of Mrs. Miller');
    await catalog.deliver(adaptor, 'ops', onData);
    await catalog.deliver(adaptor, 'ops', onData);
    await catalog.deliver(adaptor, 'ops', error('SOURCE', 'no route to host'));
    const errors = lines.filter((line) => line['entryType'] === 'ADAPTOR_ERROR');
    expect(errors).toMatchObject([
      { 'source-adaptor-uuid': adaptor, kind: 'DATA' },
      { 'source-adaptor-uuid': adaptor, kind: 'SOURCE', message: 'no route to host' },
    ]);
    expect(JSON.stringify(errors)).not.toContain('Miller');
  });
});

describe('the message of an adaptor about its source', () => {
  const tell = (message: string, id = newUuid()): Promise<void> =>
    catalog.deliver(
      adaptor,
      'ops',
      buildMessage('up/ops', {
        id,
        source: adaptorSource(adaptor),
        time: new Date().toISOString(),
        type: 'fds.adaptor.error.v1',
        data: { level: 'WARN', kind: 'SOURCE', message },
      }),
    );
  const shown = async (): Promise<unknown> => {
    const query =
      'query($z: Uuid!, $a: Uuid!) { r: adaptor(zoneUuid: $z, adaptorUuid: $a) { state stateMessage changeVersion } }';
    return (await catalog.run(query, { z, a: adaptor })).data['r'];
  };
  const logged = () =>
    catalog.database.prisma.changeLogEntry.findMany({
      where: { resourceUuid: adaptor, resourceType: 'AdaptorState' },
      orderBy: { position: 'asc' },
    });
  const answer = (state: 'STARTED' | 'PAUSED') =>
    catalog.answer(adaptor, { requestId: newUuid(), operation: 'REFRESH_STATE', accepted: true, state });

  it('becomes its stateMessage, and an empty one clears it; the state and the changeVersion stay', async () => {
    await connect();
    const before = (await logged()).length;
    const id = newUuid();
    await tell('the database is away', id);
    await tell('the database is away', id);
    expect(await shown()).toEqual({ state: 'STARTED', stateMessage: 'the database is away', changeVersion: 1 });
    await tell('');
    expect(await shown()).toEqual({ state: 'STARTED', stateMessage: null, changeVersion: 1 });
    const changes = (await logged()).slice(before).map(({ data }) => JSON.parse(String(data)) as object);
    expect(changes).toMatchObject([
      { previousState: 'STARTED', state: 'STARTED', stateMessage: 'the database is away' },
      { previousState: 'STARTED', state: 'STARTED', stateMessage: null },
    ]);
  });

  it('stays after an answer, and ends with the next status that has no message', async () => {
    await connect();
    await tell('the folder is gone');
    await answer('STARTED');
    expect(await shown()).toMatchObject({ stateMessage: 'the folder is gone' });
    await catalog.report(adaptor, 'STARTED', 'LOG works as TIMESTAMP');
    expect(await shown()).toMatchObject({ state: 'STARTED', stateMessage: 'LOG works as TIMESTAMP' });
    await catalog.report(adaptor, 'STARTED');
    expect(await shown()).toMatchObject({ state: 'STARTED', stateMessage: null });
  });

  it('replaces the reason of ERROR, which goes with the state', async () => {
    await connect();
    await catalog.report(adaptor, 'ERROR', 'no such table');
    await tell('no such table, no route to the host');
    expect(await shown()).toMatchObject({ state: 'ERROR', stateMessage: 'no such table, no route to the host' });
    await answer('STARTED');
    expect(await shown()).toMatchObject({ state: 'STARTED', stateMessage: null });
  });

  it('is not kept for an adaptor that is not connected, is limited in length, and shows no credentials', async () => {
    await tell('away');
    expect(await shown()).toMatchObject({ state: 'DOWN', stateMessage: null });
    await connect();
    await tell(`postgresql://ada:hunter2@db/x cannot be reached ${'x'.repeat(10_000)}`);
    const { stateMessage } = (await shown()) as { stateMessage: string };
    expect(stateMessage).toMatch(/^postgresql:\/\/\*\*\*@db\/x cannot be reached x+$/);
    expect(stateMessage.length).toBeLessThanOrEqual(4_000);
    await catalog.report(adaptor, 'DOWN', 'connection lost');
    expect(await shown()).toMatchObject({ state: 'DOWN', stateMessage: null });
  });
});

describe('two processes without a name', () => {
  it('are reported in the state message and in the log after six starts', async () => {
    const stateMessage = async (): Promise<unknown> => {
      const { data } = await catalog.run(
        'query($z: Uuid!, $a: Uuid!) { r: adaptor(zoneUuid: $z, adaptorUuid: $a) { stateMessage } }',
        { z, a: adaptor },
      );
      return data['r']?.['stateMessage'];
    };
    for (let start = 0; start < 5; start += 1) await connect();
    expect(await stateMessage()).toBeNull();
    await connect();
    const sentence = /^two processes seem to use the same credentials: 6 starts within a minute, the last one at 2/;
    expect(await stateMessage()).toEqual(expect.stringMatching(sentence));
    expect(lines.some(({ msg }) => sentence.test(String(msg)))).toBe(true);
  });
});

describe('discovery', () => {
  const calls = createDomainCalls(() => catalog);
  const discoveryOf = async (): Promise<unknown> => {
    const answer = await ask(
      'adaptor',
      'discoveryMode changeVersion discovery { domainVersionUuid complete records dateCompleted }',
    );
    return answer.data['r'];
  };
  const reportScan = (domain: string, records: number): Promise<void> =>
    catalog.deliver(
      adaptor,
      'ops',
      buildMessage('up/ops', {
        id: newUuid(),
        source: adaptorSource(adaptor),
        time: new Date().toISOString(),
        type: 'fds.discovered.v1',
        data: { domain, version: 1, records },
      }),
    );

  it('is empty before the first scan, states each complete one once, and stays after discovery mode', async () => {
    const domainVersionUuid = await calls.newVersion(await calls.newDomain('Found-Ones'));
    await change('patchAdaptor', 'uuid', ', input: {changeVersion: 1, discoveryMode: true}');
    expect(await discoveryOf()).toMatchObject({ discoveryMode: true, discovery: [] });
    await reportScan('unknown', 7);
    await reportScan('found-ones', 1200);
    const complete = { domainVersionUuid, complete: true, records: 1200, dateCompleted: expect.anything() };
    expect(await discoveryOf()).toMatchObject({ changeVersion: 2, discovery: [complete] });
    const logged = await catalog.database.prisma.changeLogEntry.findMany({
      where: { resourceUuid: adaptor, resourceType: 'AdaptorState', action: 'PATCH' },
    });
    expect(logged.filter(({ data: text }) => JSON.stringify(text).includes('1200'))).toHaveLength(1);
    // the adaptor lost its state, and scans again
    await reportScan('found-ones', 1300);
    await change('patchAdaptor', 'uuid', ', input: {changeVersion: 2, discoveryMode: false}');
    expect(await discoveryOf()).toMatchObject({ discoveryMode: false, discovery: [{ ...complete, records: 1300 }] });
  });

  it('is told to the adaptor with START, and not with METADATA', async () => {
    await reportScan('found-ones', 5);
    await connect();
    await change('patchAdaptor', 'uuid', ', input: {changeVersion: 1, discoveryMode: true}');
    const sent = catalog.takeSent().filter(({ operation }) => operation === 'START' || operation === 'METADATA');
    const starts = sent.filter(({ operation }) => operation === 'START');
    expect(starts.map(({ discovered }) => discovered)).toContainEqual([{ domain: 'Found-Ones', version: 1 }]);
    expect(sent.filter(({ operation }) => operation === 'METADATA').map(({ discovered }) => discovered)).toEqual([
      undefined,
    ]);
  });
});
