import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { parseAdaptorMetadata } from './adaptor-metadata.js';

interface Example {
  readonly databases?: object;
  readonly tables?: readonly object[];
}

/** Examples in the order of the page. An example without braces has members of a table entry. */
const examples = (): readonly Example[] => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  return [...readme.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = '']): Example => {
    if (text.startsWith('{')) return JSON.parse(text) as Example;
    return { tables: [JSON.parse(`{${text}}`) as object] };
  });
};

it('the example configurations of the README are valid; the later examples replace parts of the first', () => {
  const [whole, ...parts] = examples();
  if (whole === undefined) throw new Error('the README has no example');
  expect(parseAdaptorMetadata(whole).tables).toHaveLength(1);
  expect(parts).toHaveLength(3);
  for (const { databases, tables } of parts) {
    const combined = {
      databases: { ...whole.databases, ...databases },
      tables: [{ ...whole.tables?.[0], ...tables?.[0] }],
    };
    const parsed = parseAdaptorMetadata(combined);
    expect(parsed.stateStores.size).toBe(databases === undefined ? 1 : 2);
  }
});
