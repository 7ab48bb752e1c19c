import { describe, expect, it } from '@jest/globals';
import { fillSecrets } from './fill-secrets.js';
import { readYaml } from './read-yaml.js';

const read = (text: string) => readYaml(text, () => Promise.resolve());

describe('readYaml', () => {
  it('reads documents with exact integers, and knows lines', async () => {
    const { documents, faults } = await read(
      '# first\n\nkind: Zone\nspec:\n  n: 9223372036854775807\n---\n- a\n-\n  b: yes\n',
    );
    expect(faults).toEqual([]);
    expect(documents.map(({ value }) => value)).toEqual([
      { kind: 'Zone', spec: { n: 9223372036854775807n } },
      ['a', { b: 'yes' }],
    ]);
    expect(documents.map(({ lineOf }) => [lineOf('/spec/n'), lineOf('/1/b'), lineOf('/nothing/there')])).toEqual([
      [5, 3, 3],
      [7, 9, 7],
    ]);
  });

  it.each([
    ['a: &x [1]\nb: *x', 'ALIAS', 2],
    ['a: 1\nb: 2\na: 3', 'DUPLICATE_MEMBER', 3],
    ['a: !!binary x', 'TAG', 1],
    ['a: !mine x', 'TAG', 1],
    ['<<: {a: 1}', 'MERGE_KEY', 1],
    ['1: a', 'NAME', 1],
    ['a: .nan', 'NUMBER', 1],
    ['a: [', 'YAML', 1],
    [`a: ${'['.repeat(100)}${']'.repeat(100)}`, 'TOO_DEEP', 1],
    [`a: ${'x'.repeat(2 ** 20)}`, 'TOO_LARGE', 0],
  ])('refuses %.20s', async (text, code, line) => {
    const { documents, faults } = await read(`b: 1\n---\n${text}`);
    expect(documents).toEqual([]);
    expect(faults.map((fault) => fault.code)).toContain(code);
    expect(faults.every(({ pointer }) => pointer.startsWith('/1'))).toBe(true);
    expect(faults.find((fault) => fault.code === code)?.line).toBe(line + 2);
  });

  it('reads many members in one pass', async () => {
    const text = Array.from({ length: 60_000 }, (_, at) => `k${at}: 1`).join('\n');
    const began = performance.now();
    expect((await read(text)).documents).toHaveLength(1);
    expect(performance.now() - began).toBeLessThan(20_000);
  });
});

describe('fillSecrets', () => {
  it('replaces variables in secret members only', () => {
    const adaptor = {
      description: '${A}',
      adaptorType: 'crm',
      metadata: { host: '${A}', 'db.password': '${A}', pin: '${A}', note: 'x ${A}' },
    };
    const { documents, faults } = fillSecrets(
      [
        { kind: 'Adaptor', name: 'Root/a', spec: adaptor },
        { kind: 'User', name: 'Root/u', spec: { name: '${A}', password: '${MISSING}' } },
        { kind: 'Notification', name: 'https://x', spec: { httpHeaders: [{ name: '${A}', value: '${A}' }] } },
      ],
      { A: 'a' },
      new Map([['crm', ['PIN']]]),
    );
    expect(documents).toMatchObject([
      { spec: { ...adaptor, metadata: { host: '${A}', 'db.password': 'a', pin: 'a', note: 'x ${A}' } } },
      { spec: { name: '${A}', password: '${MISSING}' } },
      { spec: { httpHeaders: [{ name: '${A}', value: 'a' }] } },
    ]);
    expect(faults).toEqual([
      { pointer: '/1/spec/password', code: 'MISSING_VARIABLE', detail: 'the variable MISSING is not set' },
    ]);
  });
});
