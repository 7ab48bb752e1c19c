import { openEmbeddedBroker } from '@fds/adaptor-broker';
import { connectServerBus, openMqttConnection, type ServerBus } from '@fds/adaptor-bus';
import {
  adaptorSource,
  buildMessage,
  clientIdOf,
  parseMessage,
  subscriptionsOf,
  topicOf,
  type AnsweredRecord,
} from '@fds/adaptor-protocol';
import { startAdaptor, type AdaptorHandlers } from '@fds/adaptor-sdk';
import { createLog } from '@fds/service';
import { eventually } from '@fds/testing';
import { afterEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 as newUuid } from 'uuid';
import { createAnswerBudget, defaultAnswerLimits } from '../bounds/answer-budget.js';
import { mosquitto, startMosquitto } from '../testing/start-mosquitto.js';
import type { AdaptorAnswer, Question } from './adaptor-questions.js';
import type { DropReason } from './answer-desk.js';
import { createCircuits, defaultCircuitSettings } from './circuits.js';
import { createAdaptorQuestions } from './create-adaptor-questions.js';

const silent = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };
const closers: (() => Promise<unknown> | void)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** The fan-out of one process. */
const openProcess = (bus: ServerBus) => {
  const dropped: DropReason[] = [];
  const questions = createAdaptorQuestions({
    bus,
    circuits: createCircuits({ settings: defaultCircuitSettings, nowMs: () => 0, onChange: () => undefined }),
    limits: defaultAnswerLimits,
    onBoundHit: () => undefined,
    meter: { countQuestion: () => undefined, countDropped: (reason) => void dropped.push(reason) },
    log: createLog('silent'),
    now: () => new Date(),
    nowMs: () => performance.now(),
    newUuid: () => newUuid(),
  });
  const budget = createAnswerBudget(defaultAnswerLimits);
  const ask = (adaptorUuid: string, records: Question['records'], changes: Partial<Question> = {}) =>
    questions.ask(
      adaptorUuid,
      {
        domain: 'person',
        version: 1,
        domainVersionUuid: newUuid(),
        records,
        requestedProperties: null,
        timeoutMilliseconds: 20_000,
        ...changes,
      },
      budget.open('ada'),
      AbortSignal.timeout(20_000),
    );
  return { ask, dropped };
};

/** An adaptor that uses the SDK. */
const startWithSdk = async (url: string, adaptorUuid: string, handlers: AdaptorHandlers) => {
  const directory = mkdtempSync(join(tmpdir(), 'fds-fan-out-'));
  closers.push(() => rmSync(directory, { recursive: true, force: true }));
  const adaptor = await startAdaptor({
    handlers,
    log: silent,
    properties: {
      'adaptor.uuid': adaptorUuid,
      'client.id': adaptorUuid,
      'client.secret': 'any',
      'message.bus.url': url,
      'auth.server.url': 'http://127.0.0.1:8080',
      hostname: '127.0.0.1',
      port: '0',
      'data.directory': directory,
      'assembly.concurrency': '4',
    },
  });
  closers.push(() => adaptor.stop());
  return adaptor;
};

/** An adaptor that follows the bus contract but ignores `replyinstance`. */
const connectIgnorant = async (url: string, adaptorUuid: string): Promise<void> => {
  let isUp = false;
  const connection = openMqttConnection({
    url,
    clientId: clientIdOf(adaptorUuid, 'ops'),
    username: adaptorUuid,
    password: 'any',
    subscriptions: subscriptionsOf(adaptorUuid, 'ops'),
    onUp: () => {
      isUp = true;
    },
    onDown: () => undefined,
    onMessage: (_topic, payload) => {
      const request = parseMessage('down/req', payload);
      if (!request.ok) return;
      const { requestUuid, records } = request.value.data;
      const answer = buildMessage('up/rsp', {
        id: newUuid(),
        source: adaptorSource(adaptorUuid),
        time: new Date().toISOString(),
        type: 'fds.assembly.answer.v1',
        data: {
          requestUuid,
          part: 1,
          last: true,
          records: (records ?? []).map((one) => ({ ...one, data: one.drKey })),
        },
      });
      connection.publish(topicOf({ adaptorUuid, channel: 'up/rsp' }), answer).catch(() => undefined);
    },
    log: silent,
  });
  closers.push(() => connection.close());
  await eventually(() => {
    if (!isUp) throw new Error('the adaptor is not connected');
  });
};

const recordsOf = (count: number, long = '') =>
  Array.from({ length: count }, (_, n) => ({ drUuid: newUuid(), drKey: { n, long } }));
const numbersIn = ({ records }: AdaptorAnswer): unknown[] => records.map(({ drKey }) => drKey['n']);

describe('the fan-out on the embedded broker', () => {
  const open = async () => {
    const broker = await openEmbeddedBroker({
      host: '127.0.0.1',
      port: 0,
      authenticate: async () => 'ACCEPTED',
      log: silent,
    });
    closers.push(() => broker.close());
    return { ...openProcess(broker.bus), url: `tcp://127.0.0.1:${broker.port}`, adaptorUuid: newUuid() };
  };

  it('receives a large answer of an SDK adaptor in parts, to a question in several messages', async () => {
    const { ask, dropped, url, adaptorUuid } = await open();
    const asked: number[] = [];
    await startWithSdk(url, adaptorUuid, {
      assemble: async ({ records }) => {
        asked.push(records?.length ?? 0);
        return {
          records: (records ?? []).map((one): AnsweredRecord => ({ ...one, data: { text: 'y'.repeat(2_000) } })),
        };
      },
    });
    const answer = await ask(adaptorUuid, recordsOf(1_000, 'x'.repeat(1_000)));
    expect(numbersIn(answer)).toEqual(Array.from({ length: 1_000 }, (_, n) => n));
    expect(asked.length).toBeGreaterThan(3);
    expect(asked.reduce((sum, count) => sum + count, 0)).toBe(1_000);
    expect(dropped).toEqual([]);
  });

  it('asks an SDK adaptor once for equal questions in progress', async () => {
    const { ask, url, adaptorUuid } = await open();
    let requests = 0;
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    await startWithSdk(url, adaptorUuid, {
      assemble: async ({ records }) => {
        requests += 1;
        await gate;
        return { records: (records ?? []).map((one) => ({ ...one, data: {} })) };
      },
    });
    const records = recordsOf(3);
    const domainVersionUuid = newUuid();
    const answers = Array.from({ length: 50 }, () => ask(adaptorUuid, records, { domainVersionUuid }));
    await eventually(() => {
      if (requests === 0) throw new Error('the question has not arrived');
    });
    release();
    for (const answer of await Promise.all(answers)) expect(numbersIn(answer)).toEqual([0, 1, 2]);
    expect(requests).toBe(1);
  });

  it('does not wait for an SDK adaptor that stops', async () => {
    const { ask, url, adaptorUuid } = await open();
    let isAsked = false;
    const adaptor = await startWithSdk(url, adaptorUuid, {
      assemble: (_request, signal) =>
        new Promise((_, reject) => {
          isAsked = true;
          signal.addEventListener('abort', () => reject(new Error('over')), { once: true });
        }),
    });
    const asking = ask(adaptorUuid, recordsOf(1));
    const ended = expect(asking).rejects.toMatchObject({ name: 'AdaptorDown' });
    await eventually(() => {
      if (!isAsked) throw new Error('the question has not arrived');
    });
    await adaptor.stop();
    await ended;
  });
});

describe('two processes on one broker', () => {
  if (mosquitto === undefined) {
    it.skip('need the mosquitto package, which is not installed here', () => undefined);
    return;
  }
  const program = mosquitto;

  const open = async () => {
    const broker = await startMosquitto(program);
    closers.push(() => broker.close());
    const processes = ['one', 'two'].map((instance) => {
      const bus = connectServerBus({
        url: broker.url,
        username: 'server',
        password: 'any',
        clientId: `server-${instance}`,
        kinds: ['rsp', 'status'],
        instance,
        log: silent,
      });
      closers.push(() => bus.close());
      return { bus, ...openProcess(bus) };
    });
    await eventually(() => {
      if (!processes.every(({ bus }) => bus.connected)) throw new Error('a process is not connected');
    });
    return { url: broker.url, processes, adaptorUuid: newUuid() };
  };

  const askBoth = async ({ processes, adaptorUuid }: Awaited<ReturnType<typeof open>>): Promise<void> => {
    const answers = await Promise.all(
      processes.flatMap(({ ask }) => Array.from({ length: 20 }, (_, n) => ask(adaptorUuid, recordsOf(n)))),
    );
    expect(answers.map(({ records }) => records.length)).toEqual(
      [0, 1].flatMap(() => Array.from({ length: 20 }, (_, n) => n)),
    );
  };

  it('receive only their own answers from an SDK adaptor', async () => {
    const opened = await open();
    await startWithSdk(opened.url, opened.adaptorUuid, {
      assemble: async ({ records }) => ({ records: (records ?? []).map((one) => ({ ...one, data: {} })) }),
    });
    await askBoth(opened);
    expect(opened.processes.map(({ dropped }) => dropped)).toEqual([[], []]);
  });

  it('drop answers for the other process when an adaptor ignores the reply instance', async () => {
    const opened = await open();
    await connectIgnorant(opened.url, opened.adaptorUuid);
    await askBoth(opened);
    await eventually(() => {
      for (const { dropped } of opened.processes) if (dropped.length < 20) throw new Error('answers are on the way');
    });
    for (const { dropped } of opened.processes) expect(dropped).toEqual(Array(20).fill('NOT_WAITED_FOR'));
  });
});
