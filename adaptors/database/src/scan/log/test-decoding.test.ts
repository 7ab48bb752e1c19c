import { describe, expect, it } from '@jest/globals';
import { createMessageReader } from './test-decoding.js';

const read = createMessageReader('public.p', ['id', 'a b']);
const decode = (text: string) => read(Buffer.from(text));

describe('a message of test_decoding', () => {
  it.each([
    ["INSERT: v[text]:'it''s id[x]:9' \"a b\"[character varying]:'''' id[integer]:7", [['7', "'"]]],
    [
      "UPDATE: id[bigint]:9223372036854775807 \"a b\"[text]:'x y' v[integer[]]:'{1,2}'",
      [['9223372036854775807', 'x y']],
    ],
    [
      `UPDATE: old-key: id[integer]:1 "a b"[text]:' new-tuple: ' new-tuple: id[integer]:2 "a b"[text]:'c' v[text]:null`,
      [
        ['1', ' new-tuple: '],
        ['2', 'c'],
      ],
    ],
    [`DELETE: id["my ]: type"]:'1' "a b"[text]:'c'`, [['1', 'c']]],
    // a column that is null is absent from an old row
    ['DELETE: id[integer]:1', [['1', null]]],
    [`INSERT: id[boolean]:true "a b"[text]:null b[bit]:B'101'`, [['true', null]]],
    [`INSERT: "x""[y]:"[text]:'z' id[integer]:-1 "a b"[text]:'名'`, [['-1', '名']]],
  ])('has the keys of the rows: %s', (text, keys) => {
    expect(decode(`table public.p: ${text}`)).toEqual({ kind: 'ROWS', keys });
  });

  it.each([
    'table public.p: DELETE: (no-tuple-data)',
    'table public.p: INSERT: (no-tuple-data)',
    'table public.p: UPDATE: id[integer]:1 "a b"[text]:unchanged-toast-datum',
    'table public.p: TRUNCATE: (no-flags)',
    'table public.o, public.p, "a, b"."c:": TRUNCATE: restart_seqs cascade',
  ])('does not have the keys of the rows: %s', (text) => {
    expect(decode(text)).toEqual({ kind: 'UNKNOWN' });
  });

  it.each([
    'table public.pp: INSERT: id[integer]:1',
    'table "public.p": INSERT: id[integer]:1',
    `table public.o: INSERT: v[text]:', public.p: TRUNCATE:'`,
    'table public.o, "public.p"."public.p": TRUNCATE: (no-flags)',
    'message: transactional: 1 prefix: p, sz: 1 content:x',
  ])('is about another table: %s', (text) => {
    expect(decode(text)).toEqual({ kind: 'OTHER' });
  });

  it('begins or ends a transaction', () => {
    expect(decode('BEGIN 693')).toEqual({ kind: 'BEGIN', transaction: 693 });
    expect(decode('COMMIT 693')).toEqual({ kind: 'COMMIT' });
  });

  it('has names as they are quoted', () => {
    const reader = createMessageReader('"S".p', ['id']);
    expect(reader(Buffer.from('table "S".p: DELETE: id[integer]:1'))).toEqual({ kind: 'ROWS', keys: [['1']] });
  });
});
