import { describe, expect, it } from '@jest/globals';
import { parseJson } from '@fds/json';
import { createAdaptor, createWorld, denying, uuid } from '../../testing/event-world.js';
import type { Seen } from '../routing/seen.js';
import type { EventOutcome } from './event-outcome.js';

/** An adaptor that states nothing, while messages are on their way to it. */
const nothingAcknowledged: Seen = { applied: 0, begun: Number.POSITIVE_INFINITY };
const nameOf = (number: number) => ({ id: 1, name: `v${number}` });
const transactionOf = (number: number): string => uuid(5000 + number);

describe('an event that names its origin', () => {
  it('is an echo when it has the content of the origin, regardless of messages on their way', () => {
    const { happen, sent } = createWorld({ adaptors: [createAdaptor('A'), createAdaptor('B')] });
    const count = 40;
    const outcomes: EventOutcome[] = [];
    for (let number = 1; number <= count; number += 1) {
      const transactionUuid = transactionOf(number);
      outcomes.push(happen('A', { action: 'PUT', json: nameOf(number), transactionUuid }));
    }
    for (let number = 1; number <= count; number += 1) {
      const origin = { originTransactionUuid: transactionOf(number) };
      outcomes.push(happen('B', { action: 'PUT', json: nameOf(number), ...origin }, nothingAcknowledged));
    }
    expect(outcomes.flatMap(sent)).toHaveLength(count);
  });

  it('is a change where it has another content, and overrides only that', () => {
    const { happen, sent } = createWorld({ adaptors: [createAdaptor('A'), createAdaptor('B')] });
    happen('A', { action: 'POST', json: { ...nameOf(1), note: 'x' }, transactionUuid: transactionOf(1) });
    happen('A', { action: 'PUT', json: { ...nameOf(2), note: 'x' }, transactionUuid: transactionOf(2) });
    const rewritten = { ...nameOf(1), note: 'X' };
    const outcome = happen('B', { action: 'PUT', json: rewritten, originTransactionUuid: transactionOf(1) });
    expect(sent(outcome)).toEqual(['A PUT {"id":1,"note":"X"}']);
  });

  it('is a change where the source was not sent that origin for the record', () => {
    const { happen, sent } = createWorld({ adaptors: [createAdaptor('A'), createAdaptor('B')] });
    happen('A', { action: 'POST', json: nameOf(1), transactionUuid: transactionOf(1) });
    happen('A', { action: 'PUT', json: nameOf(2), transactionUuid: transactionOf(2) });
    happen('A', { action: 'POST', json: { id: 2, name: 'v1' }, transactionUuid: transactionOf(3) });
    const outcome = happen('B', { action: 'PUT', json: nameOf(1), originTransactionUuid: transactionOf(3) });
    expect(sent(outcome)).toEqual(['A PUT {"id":1,"name":"v1"}']);
  });

  it('is an echo, and no issue, when governance removed a required property from its origin', () => {
    const acls = [denying({ properties: ['name'], post: 'DENY', put: 'DENY' })];
    const adaptors = [createAdaptor('A'), createAdaptor('B', { zoneUuid: uuid(60) })];
    const { happen, book } = createWorld({ adaptors, acls });
    const { event, deliveries } = happen('A', {
      action: 'POST',
      json: { ...nameOf(1), note: 'n' },
      transactionUuid: transactionOf(1),
    });
    const { jsonData } = parseJson(deliveries[0]?.message ?? '{}') as { readonly jsonData: string };
    expect(jsonData).toBe('{"id":1,"note":"n"}');
    const outcome = happen('B', { action: 'PUT', jsonData, originTransactionUuid: transactionOf(1) });
    expect(outcome).toEqual({ deliveries: [] });
    expect([...(book.byUuid(event?.recordUuid ?? '')?.links.keys() ?? [])]).toHaveLength(2);
    expect(happen('B', { action: 'PUT', jsonData }).issue?.title).toBe('The record is not valid');
  });
});
