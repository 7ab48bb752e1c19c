import { describe, expect, it } from '@jest/globals';
import { uuidOfMessage } from './uuid-of-message.js';

const adaptor = '0199c0de-0000-7000-8000-000000000001';
const time = new Date('2026-11-22T07:00:00Z');

describe('the uuid of a message’s effect', () => {
  it('is the same for the same message, and another for another id, adaptor or time', () => {
    const made = [
      uuidOfMessage(adaptor, { id: 'm', time }),
      uuidOfMessage(adaptor, { id: 'm', time }),
      uuidOfMessage(adaptor, { id: 'n', time }),
      uuidOfMessage(adaptor.replace('1', '2'), { id: 'm', time }),
      uuidOfMessage(adaptor, { id: 'm', time: new Date(time.getTime() + 1) }),
    ];
    expect(made[0]).toBe(made[1]);
    expect(new Set(made).size).toBe(4);
    expect(made[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('is ordered by time, for any clock of the adaptor', () => {
    const at = (ms: number): string => uuidOfMessage(adaptor, { id: 'm', time: new Date(ms) });
    const made = [at(-1), at(1), at(time.getTime()), at(8_640_000_000_000_000)];
    expect(made.toSorted()).toEqual(made);
  });
});
