import { describe, expect, it } from '@jest/globals';
import { nothing } from '../../domain/events/event-outcome.js';
import { createWorld } from '../../testing/event-world.js';
import { readDataEvent } from '../../domain/events/read-event.js';
import type { ParkedEvent } from '../../store/issues/parked-event.js';
import { ParkedQueues } from '../../domain/issues/parked-queues.js';
import { ParkedSettlement } from './parked-settlement.js';

describe('HeldSettlement', () => {
  it('lets an event that a release and a person bring into one batch be tried until it continues', () => {
    const { requireAdaptor, version } = createWorld();
    const source = requireAdaptor('A');
    const parked: ParkedEvent = {
      issueUuid: 'i',
      adaptorUuid: source.uuid,
      domainVersionUuid: version.uuid,
      keyDigest: '00',
      dataEvent: '{}',
      seen: undefined,
    };
    const issue = {
      uuid: 'i',
      changeVersion: 1,
      title: '',
      cause: 'NOT_VALID',
      issuePriority: 'LOW',
      errors: '[]',
    } as const;
    const queues = new ParkedQueues({
      issues: new Map(),
      invalid: new Map(),
      cut: new Set(),
      ofRecords: [],
      braked: new Map(),
    });
    const settlement = new ParkedSettlement(new Map([['i', issue]]), queues);
    const event = readDataEvent(
      {
        version: () => version,
        versionByUuid: () => version,
        adaptor: () => source,
        destinations: () => [source],
        bystanders: () => [],
      },
      source,
      { action: 'DELETE', domain: 'Customer', version: 1, drKey: { id: 1 }, transactionUuid: 't', createTime: 1 },
    );
    expect(settlement.mayTry(parked)).toBe(true);
    settlement.settle(parked, event, nothing);
    expect(settlement.mayTry(parked)).toBe(false);
  });
});
