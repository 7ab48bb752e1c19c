import { randomUUID as newUuid } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { logChange } from '@fds/database';
import { openTestDatabase, type TestDatabase } from '@fds/database/testing';
import { createLifetime, createLog, type Lifetime } from '@fds/service';
import { eventually } from '@fds/testing';
import { endsOfSessions, followRegistrations, type AdaptorChange } from './follow-registrations.js';

it.each<[says: string, change: AdaptorChange, ends: readonly number[]]>([
  ['a deletion', { action: 'DELETE', data: { active: true } }, [0]],
  ['a deactivation', { action: 'PATCH', data: { active: false } }, [0]],
  ['another change', { action: 'PATCH', data: { active: true } }, []],
  ['a new secret', { action: 'POST', data: { oldSecretUntil: 1_000 } }, [0, 1_000]],
  ['an order to shut down', { action: 'PUT', data: { uuid: 'a' } }, []],
  ['nothing', { action: 'PUT', data: null }, []],
])('%s ends sessions when it should', (_, change, ends) => {
  expect(endsOfSessions(change)).toEqual(ends);
});

describe('sessions of adaptors', () => {
  let database: TestDatabase;
  let lifetime: Lifetime;
  let ended: string[];
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database?.drop());
  beforeEach(async () => {
    lifetime = createLifetime();
    ended = [];
    const disconnect = (adaptorUuid: string): void => void ended.push(adaptorUuid);
    await followRegistrations({ database, lifetime, log: createLog('silent'), disconnect });
  });
  afterEach(() => lifetime.close());

  const say = (resourceUuid: string, action: 'POST' | 'PUT' | 'DELETE', data: object): Promise<void> =>
    database.prisma.$transaction((tx) =>
      logChange(tx, { action, resourceType: 'Adaptor', resource: '/x', resourceUuid, data }),
    );

  it('end with a new secret, and end again when the old secret expires', async () => {
    const [renewed, soon, stopping, gone] = [newUuid(), newUuid(), newUuid(), newUuid()];
    await say(renewed, 'POST', { oldSecretUntil: Date.now() + 3_600_000 });
    await say(soon, 'POST', { oldSecretUntil: Date.now() + 1_500 });
    await say(stopping, 'PUT', {});
    await say(gone, 'DELETE', {});
    // changes arrive in order, so the others have been seen
    await eventually(() => expect(ended).toEqual([renewed, soon, gone]));
    await eventually(() => expect(ended).toEqual([renewed, soon, gone, soon]));
  });

  it('are no longer ended after close', async () => {
    const [renewed, gone] = [newUuid(), newUuid()];
    const end = Date.now() + 300;
    await say(renewed, 'POST', { oldSecretUntil: end });
    await say(gone, 'DELETE', {});
    await eventually(() => expect(ended).toContain(gone));
    const before = [...ended];
    await lifetime.close();
    await eventually(() => expect(Date.now()).toBeGreaterThan(end));
    expect(ended).toEqual(before);
  });
});
