import { expect, it } from '@jest/globals';
import { printedSecrets } from './printed-secrets.js';

it.each([
  ['nothing', 'INFO request GET /token 200', []],
  ['a password', 'failed: hunter 2!', ['password']],
  ['an escaped password', 'GET /x?p=hunter%202!', ['password']],
  ['a token', 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0x.abc', ['a token']],
  ['a header', '"authorization":"Basic YWRtaW46c2VjcmV0LXdvcmQ="', ['a header of credentials']],
  ['a line to paste', 'curl -u "dgs:$PASSWORD"', []],
])('%s is found', (_, output, found) => {
  expect(printedSecrets(output, { password: 'hunter 2!', empty: '' })).toEqual(found);
});
