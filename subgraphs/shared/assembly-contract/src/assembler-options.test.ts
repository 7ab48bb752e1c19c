import { describe, expect, it } from '@jest/globals';
import { AppError } from '@fds/errors';
import { parseAssemblerOptions } from './assembler-options.js';

const uuid = '019a5d2e-0000-7000-8000-000000000001';

const refusal = (encoded: string): AppError => {
  try {
    parseAssemblerOptions(encoded);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error(`${encoded} was accepted`);
};
const causesOf = (encoded: string) => refusal(encoded).errors.map(({ pointer, code }) => `${pointer} ${code}`);

describe('additionalParameters', () => {
  it('hold the options of an assembly request, exact to the digit', () => {
    const encoded = `{"timeout":5,"releasePolicy":"ASAP","adaptors":["${uuid}"],"goldAdaptors":[],"requestedProperties":["a"],"expandRefs":false,"additionalParams":{"n":9223372036854775807}}`;
    expect(parseAssemblerOptions(encoded)).toEqual({
      timeout: 5,
      releasePolicy: 'ASAP',
      adaptors: [uuid],
      goldAdaptors: [],
      requestedProperties: ['a'],
      expandRefs: false,
      additionalParams: { n: 9223372036854775807n },
    });
  });

  it('may be empty, and a null member counts as absent', () => {
    expect(parseAssemblerOptions('{}')).toEqual({});
    expect(parseAssemblerOptions('{"timeout":null}')).toEqual({});
  });

  it.each([
    ['', 'MALFORMED_JSON'],
    ['{"timeout": }', 'MALFORMED_JSON'],
    ['timeout=5', 'MALFORMED_JSON'],
    ['5', 'INVALID_TYPE'],
    ['[]', 'INVALID_TYPE'],
    ['null', 'INVALID_TYPE'],
    ['"{}"', 'INVALID_TYPE'],
  ])('are refused as a whole: %s', (encoded, code) => {
    expect(causesOf(encoded)).toEqual([`additionalParameters ${code}`]);
  });

  it('name the position where the JSON is broken', () => {
    expect(refusal('{"timeout": }').message).toMatch(/position 12|'}'/);
  });

  it('name every fault', () => {
    const encoded = `{"timeout":"5","releasePolicy":"GOLDEN","adaptors":["${uuid}","x"],"silverAdaptors":"x","additionalParams":[],"__proto__":1,"toString":1,"a/b":1}`;
    expect(causesOf(encoded)).toEqual([
      'additionalParameters/timeout WRONG_TYPE',
      'additionalParameters/releasePolicy WRONG_TYPE',
      'additionalParameters/adaptors/1 WRONG_TYPE',
      'additionalParameters/silverAdaptors WRONG_TYPE',
      'additionalParameters/additionalParams WRONG_TYPE',
      'additionalParameters/__proto__ UNKNOWN_OPTION',
      'additionalParameters/toString UNKNOWN_OPTION',
      'additionalParameters/a~1b UNKNOWN_OPTION',
    ]);
  });

  it('leave to the arguments of the field what they state', () => {
    const { errors } = refusal('{"size":5,"zoneUuid":"x","domain":"y"}');
    expect(errors.map(({ code }) => code)).toEqual(['UNKNOWN_OPTION', 'UNKNOWN_OPTION', 'UNKNOWN_OPTION']);
    expect(errors.map(({ detail }) => /use the argument (\w+)/.exec(detail)?.[1])).toEqual([
      'size',
      'zoneUuid',
      undefined,
    ]);
  });
});
