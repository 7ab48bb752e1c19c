import { describe, expect, it } from '@jest/globals';
import type { FeedItem } from '@fds/change-events';
import type { Principal } from '@fds/auth';
import type { RequestContext } from '@fds/graphql';
import { eventually } from '@fds/testing';
import type { FollowedOperation } from '../../executor/graphql-executor.js';
import { createSubscriptionGroup, type Subscriber } from './subscription-group.js';

const principal = { uuid: 'ada' } as Principal;
const context = { principal } as RequestContext;

const change = (position: bigint, bytes: number): FeedItem => ({
  kind: 'CHANGE',
  position,
  bytes,
  change: {
    position,
    action: 'PUT',
    resourceType: 'Zone',
    resource: '/zones/1',
    dateCreated: new Date(0),
  } as Extract<FeedItem, { kind: 'CHANGE' }>['change'],
  subject: { version: undefined, adaptorZoneUuid: undefined },
});

/** A subscription that sees every item. Its answers wait until the test releases them. */
const followed = (answered: () => Promise<void>): FollowedOperation => ({
  source: { name: 'metadataEvents', events: [], topics: ['Zone'], after: undefined, see: (_receiver, item) => item },
  answer: async (event) => {
    await answered();
    return { data: { position: String((event as FeedItem).position) } };
  },
});

interface Watched extends Subscriber {
  readonly given: string[];
  readonly ends: string[];
}

const subscriber = (): Watched => {
  const [given, ends]: [string[], string[]] = [[], []];
  return {
    given,
    ends,
    session: { expiresAt: Number.MAX_SAFE_INTEGER, principal: () => Promise.resolve(principal) },
    context,
    position: 0n,
    isOpen: true,
    give: ({ text }) => void given.push(text),
    expel: (error) => void ends.push(String(error)),
    fallBehind: () => void ends.push('TOO_SLOW'),
  };
};

describe('createSubscriptionGroup', () => {
  it('limits the bytes of waiting changes, and ends the subscriptions when they exceed it', async () => {
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const group = createSubscriptionGroup(
      followed(() => gate),
      1_000,
    );
    const member = subscriber();
    group.members.add(member);
    group.deliver([change(1n, 5_000)]);
    expect(member.ends).toEqual([]);
    group.deliver([change(2n, 1)]);
    expect(member.ends).toEqual(['TOO_SLOW']);
    open();
    await eventually(() => expect(member.given).toHaveLength(1));
    group.deliver([change(3n, 1)]);
    await eventually(() => expect(member.given).toHaveLength(2));
    expect(member.ends).toEqual(['TOO_SLOW']);
  });

  it('ends the subscriptions that missed a message because of a fault, and continues for others', async () => {
    let isFaulty = true;
    const group = createSubscriptionGroup(
      followed(() => (isFaulty ? Promise.reject(new Error('fault')) : Promise.resolve())),
      1_000,
    );
    const [first, second] = [subscriber(), subscriber()];
    group.members.add(first);
    group.deliver([change(1n, 1)]);
    await eventually(() => expect(first.ends).toEqual(['Error: fault']));
    isFaulty = false;
    group.members.delete(first);
    group.members.add(second);
    group.deliver([change(2n, 1)]);
    await eventually(() => expect(second.given).toEqual(['{"data":{"position":"2"}}']));
    expect(second.ends).toEqual([]);
  });
});
