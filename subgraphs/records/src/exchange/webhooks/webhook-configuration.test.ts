import { describe, expect, it } from '@jest/globals';
import { everyTarget } from '@fds/webhook-client';
import { webhookConfiguration } from './webhook-configuration.js';

const read = (metadata: Parameters<typeof webhookConfiguration>[1]) =>
  webhookConfiguration('r1', metadata, everyTarget);

describe('the configuration of a webhook adaptor', () => {
  it('has the target that the metadata names, and no fault', () => {
    expect(read({ url: 'https://receiver.example/hook' })).toMatchObject({
      revision: 'r1',
      target: { url: 'https://receiver.example/hook', headers: [] },
      fault: undefined,
    });
  });

  it('has no target and names the place of the first fault when the metadata is faulty', () => {
    const { target, fault } = read({ url: 'https://receiver.example/hook', colour: 'red' });
    expect([target, fault]).toEqual([undefined, '/metadata/colour: the metadata of a webhook adaptor has no colour']);
  });

  it.each([undefined, null])('has no target when the metadata is %p', (metadata) => {
    const { target, fault } = read(metadata);
    expect([target, fault?.startsWith('/metadata/url: ')]).toEqual([undefined, true]);
  });
});
