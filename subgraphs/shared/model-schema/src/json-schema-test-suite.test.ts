import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parseJson, stringifyJson, type JsonObject, type JsonValue } from '@fds/json';
import { compileModelSchema } from './compile-model-schema.js';
import { suiteFiles, suiteFilesOut } from './testing/suite-table.js';

interface Case {
  readonly description: string;
  readonly data: JsonValue;
  readonly valid: boolean;
}

interface Group {
  readonly description: string;
  readonly schema: JsonObject;
  readonly tests: readonly Case[];
}

const suite = new URL('../src/testing/json-schema-test-suite/', import.meta.url);

const readSuite = (file: string): readonly Group[] =>
  parseJson(readFileSync(new URL(`${file}.json`, suite), 'utf8')) as unknown as readonly Group[];

/** Does a record whose property `value` has this schema take the data? Null is as good as absent, hence required. */
const accepts = (property: JsonObject, data: JsonValue): boolean => {
  const modelSchema = { properties: { key: { type: 'integer', default: 1 }, value: property }, required: ['value'] };
  const { model, errors } = compileModelSchema({ modelSchema, drKeyProperties: ['key'] });
  if (model === undefined) throw new Error(stringifyJson(errors));
  return model.validate({ value: data }).valid;
};

/** A case that the package must pass, or the reason why it is left out. */
interface Entry extends Case {
  readonly file: string;
  readonly group: string;
  readonly property?: JsonObject;
  readonly out?: string;
}

const entries: readonly Entry[] = Object.entries(suiteFiles).flatMap(([file, { groups, outCases = [] }]) =>
  readSuite(file).flatMap(({ description: group, schema, tests }) => {
    const declared = groups[group];
    return tests.map((test): Entry => {
      const base = { ...test, file, group };
      if (declared === undefined) return base;
      if ('out' in declared) return { ...base, out: declared.out };
      const property = declared.property(schema);
      const rule = outCases.find(({ description }) => description.test(test.description));
      return rule === undefined ? { ...base, property } : { ...base, property, out: rule.reason };
    });
  }),
);

const held = entries.filter(({ out }) => out === undefined);

describe('the JSON Schema Test Suite', () => {
  it('has every group of its files in the table, and no other', () => {
    for (const [file, { groups }] of Object.entries(suiteFiles)) {
      expect([file, Object.keys(groups)]).toEqual([file, readSuite(file).map(({ description }) => description)]);
      expect(suiteFilesOut[file] ?? suiteFilesOut[`optional/${file}`]).toBeUndefined();
    }
  });

  it('has every reason for a case that is out apply to a case', () => {
    for (const [file, { outCases = [] }] of Object.entries(suiteFiles)) {
      for (const { description, reason } of outCases) {
        const applies = entries.some((entry) => entry.file === file && description.test(entry.description));
        expect([file, reason, applies]).toEqual([file, reason, true]);
      }
    }
  });

  it.each(Object.keys(suiteFiles))('holds: %s', (file) => {
    const wrong = held
      .filter((entry) => entry.file === file && accepts(entry.property ?? {}, entry.data) !== entry.valid)
      .map(({ group, description, data, valid }) => `${group}: ${description}: ${stringifyJson(data)} is ${valid}`);
    expect(wrong).toEqual([]);
  });

  it('has this many cases in and out', () => {
    expect([held.length, entries.length - held.length]).toEqual([495, 251]);
  });

  it.each(['format/hostname', 'format/regex'])('has texts of %s, which are all taken', (file) => {
    const texts = entries.filter((entry) => entry.file === file && typeof entry.data === 'string');
    expect(texts.length).toBeGreaterThan(1);
    expect(texts.filter(({ property, data }) => !accepts(property ?? {}, data))).toEqual([]);
  });
});
