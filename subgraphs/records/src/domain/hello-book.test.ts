import { describe, expect, it } from '@jest/globals';
import { HelloBook, type SaidHello } from './hello-book.js';
import type { Channel } from './meet-adaptor.js';

const channel: Channel = {
  adaptorUuid: 'a',
  downEpoch: 'down',
  downBase: 100,
  downSequence: 120,
  downAcked: 110,
  upEpoch: 'up',
  upApplied: 7,
};
const said = (id: string, applied: number): SaidHello => ({
  id,
  hello: { epoch: 'down', applied, sendEpoch: 'up', sent: 9 },
});

describe('a book of hellos', () => {
  it('believes what stands where the acknowledgements stand', () => {
    expect(new HelloBook().ageOf(channel, said('1', 10))).toBe('NEW');
  });

  it('knows a copy of the last one', () => {
    const book = new HelloBook();
    book.ageOf(channel, said('1', 10));
    expect(book.ageOf(channel, said('1', 10))).toBe('OLD');
    expect(book.ageOf({ ...channel, adaptorUuid: 'b' }, said('1', 10))).toBe('NEW');
  });

  it('doubts one that acknowledgements have outrun, and believes the next one, not its copies', () => {
    const book = new HelloBook();
    expect(['1', '1', '2'].map((id) => book.ageOf(channel, said(id, 9)))).toEqual(['OLD', 'OLD', 'NEW']);
  });

  it('doubts anew once an adaptor stood where it should', () => {
    const book = new HelloBook();
    expect([9, 10, 9].map((applied, index) => book.ageOf(channel, said(String(index), applied)))).toEqual([
      'OLD',
      'NEW',
      'OLD',
    ]);
  });

  it('knows nothing of an adaptor that it has forgotten', () => {
    const book = new HelloBook();
    book.ageOf(channel, said('1', 9));
    book.forget('a');
    expect(book.ageOf(channel, said('2', 9))).toBe('OLD');
  });
});
