import { describe, expect, it } from '@jest/globals';
import { createMessageReader } from './read-messages.js';

const large = `{"id":"1","payload":{"a":[${'9223372036854775807,'.repeat(10_000)}1]}}`;
const small = '{"id":"2"}';

describe('messages of a socket', () => {
  it('are passed on as they are when they are small', () => {
    const read = createMessageReader();
    expect(read(Buffer.from(small))).toBe(small);
    expect(() => read(Buffer.from('{"a":9223372036854775807,}'))).toThrow(SyntaxError);
  });

  it('wait for a large one before them', async () => {
    const read = createMessageReader();
    const order: number[] = [];
    const answers = [large, small, large, small].map(async (text, index) => {
      const message = await read(Buffer.from(text));
      order.push(index);
      return message;
    });
    const [first, second] = await Promise.all(answers);
    expect(order).toEqual([0, 1, 2, 3]);
    expect(first).toMatchObject({ id: '1', payload: { a: expect.arrayContaining([9_223_372_036_854_775_807n]) } });
    expect(second).toBe(small);
    await Promise.resolve();
    expect(read(Buffer.from(small))).toBe(small);
  });

  it('do not hold up those behind them when they are not JSON', async () => {
    const read = createMessageReader();
    const faulty = read(Buffer.from(`${large}}`));
    const next = read(Buffer.from(small));
    await expect(faulty).rejects.toThrow(SyntaxError);
    await expect(next).resolves.toBe(small);
  });
});
