import { describe, expect, it } from '@jest/globals';
import {
  correlationOf,
  emptyHelloBook,
  heardAck,
  type HeardHello,
  type HelloBook,
  readHello,
  saidHello,
  type SpeakingOrder,
  type Standing,
} from './hello-book.js';

const standing: Standing = { sender: { epoch: 'ours', acked: 10, last: 20 }, receives: 'theirs' };
const fitting = { epoch: 'ours', applied: 12, sendEpoch: 'theirs', sent: 5 };
const behind = { ...fitting, applied: 9 };
const forgotten = { ...fitting, epoch: null, applied: 0 };
const elsewhere = { ...fitting, epoch: 'other', applied: 12 };

const read = (
  book: HelloBook,
  heard: Partial<HeardHello> & Pick<HeardHello, 'hello'>,
  {
    nowMs = 0,
    order = 'IN_ORDER',
    at = standing,
  }: { readonly nowMs?: number; readonly order?: SpeakingOrder; readonly at?: Standing } = {},
) => readHello(book, at, { id: 'h', ...heard }, { nowMs, order });
const goOn = { own: 'GO_ON', theirs: 'TAKE', ask: false };
const renew = { own: 'RENEW', theirs: 'TAKE', ask: false };
const doubt = { own: 'KEEP', theirs: 'TAKE', ask: true };
/** A book with a sent hello; `acked` is the acknowledged number at that time. */
const saidAt = (acked: number) =>
  saidHello(emptyHelloBook, { ...standing, sender: { ...standing.sender, acked } }, 'said');

describe('a received hello', () => {
  it('is accepted when it fits, with any correlation', () => {
    for (const correlationid of [undefined, 'h', 'said', 'unknown'])
      expect(read(saidAt(10), { correlationid, hello: fitting }).verdict).toMatchObject(goOn);
  });

  it('has no effect when it is received a second time', () => {
    const { book } = read(emptyHelloBook, { hello: behind });
    const later = read(book, { id: 'i', hello: fitting }).book;
    expect(read(later, { hello: behind }, { nowMs: 9_999 }).verdict).toMatchObject({
      own: 'KEEP',
      theirs: 'KEEP',
      ask: false,
    });
  });

  it('is accepted at once when it was sent before this end lost its own state', () => {
    for (const correlationid of [undefined, 'h', 'said'])
      for (const beyond of [{ applied: 21 }, { settled: 21 }])
        expect(read(saidAt(10), { correlationid, hello: { ...fitting, ...beyond } }).verdict.own).toBe('RENEW');
  });

  it.each([
    ['behind', behind],
    ['with no space', forgotten],
    ['with another space', elsewhere],
  ])('%s proves a loss when it lies before the acknowledgements at the time of the answered hello', (_, hello) => {
    expect(read(saidAt(10), { correlationid: 'said', hello }).verdict).toMatchObject({ ...renew, answers: true });
  });

  it('is only stale when its position equals the acknowledgements at the time of our hello', () => {
    expect(read(saidAt(9), { correlationid: 'said', hello: behind }).verdict).toMatchObject(goOn);
    expect(read(saidAt(0), { correlationid: 'said', hello: forgotten }).verdict).toMatchObject(goOn);
  });

  it('proves nothing when it answers a hello about another space of ours', () => {
    const at = { ...standing, sender: { ...standing.sender, epoch: 'new' } };
    expect(read(saidAt(10), { correlationid: 'said', hello: behind }, { at }).verdict).toMatchObject({
      ...doubt,
      answers: true,
    });
  });

  it.each([
    ['behind', behind],
    ['with no space', forgotten],
    ['with another space', elsewhere],
  ])(
    '%s is never accepted, however often it arrives, from an end that correlates and has not received our hello',
    (_, hello) => {
      let book = heardAck(emptyHelloBook, { epoch: 'ours', upto: 10 });
      for (let time = 0; time < 5; time += 1) {
        const outcome = read(book, { id: `h${time}`, correlationid: 'unknown', hello }, { nowMs: time * 10_000 });
        expect(outcome.verdict).toMatchObject(doubt);
        book = outcome.book;
      }
    },
  );

  it('with a new space of the other end is accepted when it answers our hello; otherwise another hello is requested', () => {
    const hello = { ...fitting, sendEpoch: 'new' };
    expect(read(saidAt(10), { correlationid: 'said', hello }).verdict).toMatchObject(goOn);
    expect(read(saidAt(10), { correlationid: 'h', hello }).verdict).toMatchObject({
      own: 'GO_ON',
      theirs: 'KEEP',
      ask: true,
    });
  });
});

describe('a received hello without correlation', () => {
  it('is accepted when a second hello repeats it at least a second later; a copy of the same hello does not count', () => {
    const first = read(emptyHelloBook, { id: '1', hello: behind });
    const second = read(first.book, { id: '2', hello: behind }, { nowMs: 999 });
    const copy = read(second.book, { id: '2', hello: behind }, { nowMs: 1_000 });
    const third = read(copy.book, { id: '3', hello: behind }, { nowMs: 1_000 });
    expect([first, second].map(({ verdict }) => verdict)).toMatchObject([doubt, doubt]);
    expect(copy.verdict.own).toBe('KEEP');
    expect(third.verdict).toMatchObject(renew);
  });

  it.each([
    ['an acknowledgement beyond its position', (book: HelloBook) => heardAck(book, { epoch: 'ours', upto: 10 }), doubt],
    ['a hello that fits', (book: HelloBook) => read(book, { id: '2', hello: fitting }).book, doubt],
    ['an acknowledgement of its position', (book: HelloBook) => heardAck(book, { epoch: 'ours', upto: 9 }), renew],
    ['an acknowledgement of another space', (book: HelloBook) => heardAck(book, { epoch: 'other', upto: 99 }), renew],
  ])('has the expected verdict after %s', (_, between, expected) => {
    const first = read(emptyHelloBook, { id: '1', hello: behind });
    expect(read(between(first.book), { id: '3', hello: behind }, { nowMs: 1_000 }).verdict).toMatchObject(expected);
  });

  it('is accepted at once when it no longer names a space that the other end has acknowledged', () => {
    const book = heardAck(emptyHelloBook, { epoch: 'ours', upto: 10 });
    expect(read(book, { hello: forgotten }).verdict).toMatchObject(renew);
    expect(read(book, { hello: elsewhere }).verdict).toMatchObject(renew);
    expect(read(emptyHelloBook, { hello: forgotten }).verdict).toMatchObject(doubt);
    expect(read(book, { hello: forgotten }, { order: 'ANY_ORDER' }).verdict).toMatchObject(doubt);
  });

  it("opens the other end's new space at once, or the second time if several processes may act for that end", () => {
    const hello = { ...fitting, sendEpoch: 'new' };
    expect(read(emptyHelloBook, { hello }).verdict).toMatchObject(goOn);
    const first = read(emptyHelloBook, { id: '1', hello }, { order: 'ANY_ORDER' });
    expect(first.verdict).toMatchObject({ own: 'GO_ON', theirs: 'KEEP', ask: true });
    expect(read(first.book, { id: '2', hello }, { order: 'ANY_ORDER', nowMs: 1_000 }).verdict).toMatchObject(goOn);
  });
});

describe('the sent hello', () => {
  it('correlates to the last received hello, or to itself if none was received', () => {
    expect(correlationOf(emptyHelloBook, 'x')).toBe('x');
    const first = read(emptyHelloBook, { id: '1', hello: behind }).book;
    const second = read(first, { id: '2', hello: fitting }).book;
    expect(correlationOf(read(second, { id: '1', hello: behind }).book, 'x')).toBe('2');
  });
});
