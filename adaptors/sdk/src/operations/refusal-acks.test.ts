import { describe, expect, it, jest } from '@jest/globals';
import { createRefusalAcks } from './refusal-acks.js';

describe('acknowledgements of notices', () => {
  it('are collected for a moment and sent in messages of at most 256 issues', () => {
    jest.useFakeTimers();
    try {
      const sent: (readonly string[])[] = [];
      const acks = createRefusalAcks((issueUuids) => void sent.push(issueUuids));
      for (let n = 1; n <= 258; n += 1) acks.add(`issue ${n}`);
      expect(sent.map(({ length }) => length)).toEqual([256]);
      jest.advanceTimersByTime(100);
      expect(sent.slice(1)).toEqual([['issue 257', 'issue 258']]);
      jest.advanceTimersByTime(1_000);
      acks.add('the last');
      acks.flush();
      acks.flush();
      expect(sent.slice(2)).toEqual([['the last']]);
    } finally {
      jest.useRealTimers();
    }
  });
});
