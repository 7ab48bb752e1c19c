import { describe, expect, it } from '@jest/globals';
import type { Retry } from '@fds/adaptor-sdk';
import { toApplyError } from './source-failure.js';

const failure = (message: string, code?: string): Error =>
  Object.assign(new Error(message), code === undefined ? {} : { code });

describe('toApplyError', () => {
  it.each<[string, Error, string, Retry]>([
    ['a value out of range', failure('out of range', '22003'), 'DATA', 'NEVER'],
    ['a duplicate', failure('duplicate key', '23505'), 'DATA', 'NEVER'],
    ['a missing table', failure('no such table', 'SQLITE_ERROR'), 'CONFIGURATION', 'NEVER'],
    ['a refused connection', failure('connect ECONNREFUSED', 'ECONNREFUSED'), 'SOURCE', 'UNTIL_IT_WORKS'],
    ['a name server that is away', failure('getaddrinfo', 'EAI_AGAIN'), 'SOURCE', 'UNTIL_IT_WORKS'],
    ['a connection that ends', failure('update x - Connection terminated unexpectedly'), 'SOURCE', 'UNTIL_IT_WORKS'],
    ['a server that shuts down', failure('terminating connection', '57P01'), 'SOURCE', 'UNTIL_IT_WORKS'],
    ['a standby', failure('cannot execute in a read-only transaction', '25006'), 'SOURCE', 'UNTIL_IT_WORKS'],
    ['a deadlock', failure('deadlock detected', '40P01'), 'SOURCE', 'UNTIL_IT_WORKS'],
    ['a full disk', failure('disk is full', 'SQLITE_FULL'), 'SOURCE', 'UNTIL_IT_WORKS'],
    ['a file that is not there', failure('ConnectionFailed("Unable to open")'), 'SOURCE', 'UNTIL_IT_WORKS'],
    ['what nobody knows', failure('surprise'), 'SOURCE', 'A_FEW_TIMES'],
  ])('%s', (_, error, kind, retry) => {
    expect(toApplyError(error)).toMatchObject({ kind, retry });
  });
});
