import { describe, expect, it } from '@jest/globals';
import { channels, parseTopic, serverSubscriptions, subscriptionsOf, topicOf } from './topics.js';

const adaptorUuid = '0199d0a0-0000-7000-8000-000000000001';

describe('parseTopic', () => {
  it.each(channels)('reads the output of topicOf: %s', (channel) => {
    expect(parseTopic(topicOf({ adaptorUuid, channel }))).toEqual({ adaptorUuid, channel });
  });

  it('reads the instance of an answer', () => {
    const topic = { adaptorUuid, channel: 'up/rsp', instance: 'server-2' } as const;
    expect(parseTopic(topicOf(topic))).toEqual(topic);
  });

  it.each([
    '',
    'fds/v1/a',
    `fds/v1/a/${adaptorUuid}/up/other`,
    `fds/v1/a/${adaptorUuid}/up/data/x`,
    'fds/v1/a/+/up/data',
  ])('refuses the topic %s', (topic) => {
    expect(parseTopic(topic)).toBeUndefined();
  });
});

describe('subscriptionsOf', () => {
  it('splits the down topics between the two clients', () => {
    const names = (role: 'ops' | 'data') => subscriptionsOf(adaptorUuid, role).map((topic) => topic.split('/').at(-1));
    expect([names('data'), names('ops')]).toEqual([
      ['data', 'ack', 'hello'],
      ['ops', 'req'],
    ]);
  });
});

describe('serverSubscriptions', () => {
  it('cover every adaptor, with all topics or those that a process needs', () => {
    expect(serverSubscriptions()).toEqual(['fds/v1/a/+/up/+']);
    expect(serverSubscriptions({ kinds: ['status', 'ops'] })).toEqual(['fds/v1/a/+/up/status', 'fds/v1/a/+/up/ops']);
    expect(serverSubscriptions({ kinds: [], instance: 'one' })).toEqual(['fds/v1/a/+/up/rsp/one']);
  });
});
