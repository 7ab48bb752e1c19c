import { describe, expect, it } from '@jest/globals';
import { LogLost } from '../log-lost.js';
import { LogUnavailable } from '../log-unavailable.js';
import { binlogFailure, ServerIdTaken } from './binlog-failure.js';
import { isBehind } from './binlog-place.js';
import { keysOf } from './changed-row.js';
import { earliestPosition } from './gtid-position.js';
import { serverIdOf } from './server-id.js';

describe('earliestPosition', () => {
  it.each([
    [['0-1-7'], '0-1-7'],
    [['0-1-7', '0-1-10'], '0-1-7'],
    // another server took over; sequences beyond 2^53 differ only in their last digit
    [['0-2-9007199254740993', '0-1-9007199254740992'], '0-1-9007199254740992'],
    [['0-1-7,3-1-1', '0-1-8'], '0-1-7'],
    [['0-1-7,3-1-9', '3-1-2,0-1-8'], '0-1-7,3-1-2'],
    [['', '0-1-8'], ''],
  ])('for the positions %j is %j', (positions, expected) => {
    expect(earliestPosition(positions)).toBe(expected);
  });
});

describe('a place in the log', () => {
  it.each([
    ['mysql-bin.000002', 4, 'mysql-bin.000001', 900, true],
    ['mysql-bin.1000000', 4, 'mysql-bin.999999', 4, true],
    ['mysql-bin.000002', 5, 'mysql-bin.000002', 4, true],
    ['mysql-bin.000002', 4, 'mysql-bin.000002', 4, false],
  ])('%s:%d is behind %s:%d: %s', (file, offset, otherFile, otherOffset, expected) => {
    expect(isBehind({ file, offset }, { file: otherFile, offset: otherOffset })).toBe(expected);
  });
});

describe('the keys of a changed row', () => {
  it('are the old and the new key, and unknown when the log lacks a value', () => {
    const columns = ['a', 'b'];
    expect(keysOf({ before: { a: 1, b: 'x', c: 2 }, after: { a: 1, b: 'y', c: 2 } }, columns)).toEqual([
      [1, 'x'],
      [1, 'y'],
    ]);
    expect(keysOf({ before: { a: 1, b: 'x' }, after: { a: null, b: 'y' } }, columns)).toEqual([
      [1, 'x'],
      [1, 'y'],
    ]);
    expect(keysOf({ after: { a: 1, b: null } }, columns)).toBeUndefined();
    expect(keysOf({ before: { a: 1, b: Buffer.from('x') } }, columns)).toBeUndefined();
  });
});

describe('a failure of the log', () => {
  const failure = (message: string, members: object): Error =>
    binlogFailure(Object.assign(new Error(message), members), 7);

  it('means a lost log, a missing right, a second reader, or a temporary connection failure', () => {
    expect(failure('purged', { errno: 1236, code: 'ER_SOURCE_FATAL_ERROR_READING_BINLOG' })).toBeInstanceOf(LogLost);
    expect(failure('you need REPLICATION SLAVE', { errno: 1227, code: 'ER_X' })).toBeInstanceOf(LogUnavailable);
    expect(failure('A slave with the same server_uuid/server_id is already connected', { errno: 4052 })).toEqual(
      new ServerIdTaken('another reader of the binary log uses the server id 7'),
    );
    for (const code of ['PROTOCOL_CONNECTION_LOST', 'ECONNREFUSED', 'ER_SERVER_SHUTDOWN', 'ERR_STREAM_WRITE_AFTER_END'])
      expect(failure('away', { code })).toEqual(new Error('away'));
  });

  it('means a lost log when the library cannot read an event, because the next attempt would fail too', () => {
    expect(failure('Unknown type 245', {})).toBeInstanceOf(LogLost);
    expect(failure('out of range', { code: 'ERR_OUT_OF_RANGE' })).toBeInstanceOf(LogLost);
  });
});

describe('the server id of a reader', () => {
  it('is the same at every start, differs for each attempt and database, and is in the upper half of the range', () => {
    const ids = [serverIdOf('a', 'main', 0), serverIdOf('a', 'main', 1), serverIdOf('a', 'other', 0)];
    expect(serverIdOf('a', 'main', 0)).toBe(ids[0]);
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) {
      expect(id).toBeGreaterThanOrEqual(2 ** 31);
      expect(id).toBeLessThan(2 ** 32);
    }
  });
});
