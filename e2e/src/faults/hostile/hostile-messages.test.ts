import { formatSequence, type Channel } from '@fds/adaptor-protocol';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLeftovers } from '../../harness/leftovers.js';
import { countIssues, judgeRun } from '../kills/judge-run.js';
import { openFaultStage, streamName, type FaultStage } from '../kills/open-fault-stage.js';
import { untilApplied } from '../kills/run-blows.js';
import { noMischief } from '../wire/meddler.js';
import { hostileMessages, unstorableMessages } from './hostile-messages.js';
import { openHostileAdaptor, type HostileAdaptor } from './open-hostile-adaptor.js';

/** A valid event. */
const honest = ({ epoch, sequence, id, source, time, transactionUuid }: ReturnType<HostileAdaptor['place']>): string =>
  JSON.stringify({
    specversion: '1.0',
    id,
    source,
    time,
    type: 'fds.data.v1',
    epoch,
    sequence: formatSequence(sequence),
    data: {
      action: 'PUT',
      domain: 'counter',
      version: 1,
      transactionUuid,
      createTime: 1,
      json: { id: `honest-${sequence}`, n: 1, note: 'after a hostile one' },
    },
  });

describe('an adaptor that sends invalid messages', () => {
  const leftovers = createLeftovers();
  let stage: FaultStage;
  let adaptor: HostileAdaptor;

  beforeAll(async () => {
    stage = await openFaultStage(leftovers, {
      broker: 'EMBEDDED',
      mischief: noMischief,
      random: () => 0,
      records: 20,
      destinations: 1,
    });
    adaptor = await openHostileAdaptor(leftovers, stage.brokerUrl, await stage.register('Hostile'));
  }, 300_000);
  afterAll(() => leftovers.dispose(), 120_000);

  it.each(hostileMessages.map((message) => [message.name, message] as const))(
    'does not stop other adaptors by %s',
    async (_, { fate, write }) => {
      const issues = await countIssues(stage.service.dataDir);
      const place = adaptor.place();
      await adaptor.say('up/data', write(place));
      // a message without a readable number is followed by a valid event with that number
      if (fate !== 'DROPPED') await adaptor.untilDone(place);
      const next = adaptor.place();
      expect(next.sequence).toBe(fate === 'DROPPED' ? place.sequence : place.sequence + 1);
      await adaptor.say('up/data', honest(next));
      await adaptor.untilDone(next);
      expect((await countIssues(stage.service.dataDir)) - issues).toBe(fate === 'ISSUE' ? 1 : 0);
      // the other adaptors continue
      stage.ledger.grant(streamName, 20);
    },
  );

  it.each<[Channel, string]>([
    ['up/hello', '{}'],
    ['up/hello', 'hello'],
    ['up/ack', '{"specversion":"1.0"}'],
    ['up/ack', '['.repeat(10_000)],
    ['up/link', '{"links":1}'],
    ['up/ops', '{"__proto__":{"polluted":true}}'],
    ['up/status', '\u0000'],
    ['up/log', 'null'],
    ['up/rsp', '{"data":[]}'],
    ...unstorableMessages.map(([channel, payload]): [Channel, string] => [channel, payload]),
  ])('does not stop other adaptors by an unreadable message on %s: %s', async (channel, payload) => {
    await adaptor.say(channel, payload);
    const place = adaptor.place();
    await adaptor.say('up/data', honest(place));
    await adaptor.untilDone(place);
    stage.ledger.grant(streamName, 20);
  });

  it('does not affect the other adaptors: all their events arrive, once and in order', async () => {
    const { ledger } = stage;
    const streamed = ledger.granted(streamName);
    expect(streamed).toBeGreaterThan(0);
    await untilApplied(stage, streamed);
    const { published, lost, doubled, inverted } = await judgeRun(stage);
    expect({ published, lost, doubled, inverted }).toEqual({ published: streamed, lost: 0, doubled: 0, inverted: 0 });
  });

  it('does not change the service: no prototype has an injected member', async () => {
    const { status, body } = await (await stage.signIn()).rest<Record<string, unknown>>('GET', '/domains');
    expect(status).toBe(200);
    expect('polluted' in body).toBe(false);
    expect(stage.service.process().running).toBe(true);
    expect(stage.service.process().output()).not.toMatch(/uncaught|unhandled|FATAL/i);
  });
});
