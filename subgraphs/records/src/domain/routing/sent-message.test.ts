import { describe, expect, it } from '@jest/globals';
import { Outbox } from './outbox.js';
import { indexSent, type SentMessage } from './sent-message.js';

const common = { recordUuid: 'r', drKey: {}, action: 'PUT', content: undefined } as const;

describe('messages of named origins', () => {
  it('are found by adaptor and transaction', () => {
    const message = (adaptorUuid: string, transactionUuid: string, sequence: number): SentMessage => ({
      ...common,
      adaptorUuid,
      transactionUuid,
      sequence,
    });
    const find = indexSent([message('a', 't', 1), message('b', 't', 1), message('a', 'u', 2), message('a', 't', 3)]);
    expect(find('a', 't').map(({ sequence }) => sequence)).toEqual([1, 3]);
    expect(find('b', 'u')).toEqual([]);
  });

  it('are each read a fixed number of times, however many origins a batch names', () => {
    let reads = 0;
    const messages = Array.from({ length: 512 }, (_, sequence): SentMessage => ({
      ...common,
      sequence,
      transactionUuid: String(sequence),
      get adaptorUuid() {
        reads += 1;
        return 'a';
      },
    }));
    const outbox = new Outbox(() => undefined, new Map(), indexSent(messages));
    for (const { transactionUuid } of messages) expect(outbox.sent('a', transactionUuid)).toHaveLength(1);
    expect(reads).toBe(messages.length);
  });
});
