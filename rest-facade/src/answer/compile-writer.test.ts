import { describe, expect, it } from '@jest/globals';
import { parseJson, stringifyJson } from '@fds/json';
import { readOperation } from '../operation/read-operation.js';
import { loadStaticSchema } from '../testing/static-schema.js';
import { compileWriter } from './compile-writer.js';

const schema = loadStaticSchema();
const writerOf = (document: string) => compileWriter(readOperation(document, schema).result);

const write = writerOf(`
  query ($d: Uuid!, $more: Boolean!) {
    result: domain(domainUuid: $d) {
      label: name dateCreated changeVersion active
      defaultVersion { modelSchema matchingAlgorithm { _value: definition } drKeyProperties }
      versions @include(if: $more) { uuid }
    }
  }`);
const writeOutcome = writerOf(`
  mutation ($d: Uuid!, $v: DomainVersionInput!) {
    result: createDomainVersion(domainUuid: $d, input: $v) { _spread: domainVersion { uuid versionNumber } errors { code } }
  }`);

const recordDocument =
  'query ($r: Uuid!) { result: dataRecord(drUuid: $r) { uuid domainType adaptorUuid json drKey } }';
const recordVariants = { by: 'domainType', members: { FEDERATED: ['adaptorUuid'], SERVICE_DATA_STORE: ['json'] } };
const writeRecord = compileWriter(readOperation(recordDocument, schema, recordVariants).result);

describe('compileWriter', () => {
  it('writes values by the types of the document, under the names of its aliases', () => {
    const answer = {
      label: 'a "b" \u2028',
      dateCreated: '2026-01-02T03:04:05.678901+02:00',
      changeVersion: 9223372036854775807n,
      active: null,
      defaultVersion: {
        modelSchema: '{"a":9223372036854775807}',
        matchingAlgorithm: { _value: '{"type":"EXACT"}' },
        drKeyProperties: ['a', null],
      },
      versions: [{ uuid: 'u' }, null],
    };
    expect(parseJson(write(answer))).toEqual({
      label: 'a "b" \u2028',
      dateCreated: Date.UTC(2026, 0, 2, 1, 4, 5, 678),
      changeVersion: 9223372036854775807n,
      active: null,
      defaultVersion: {
        modelSchema: { a: 9223372036854775807n },
        matchingAlgorithm: { type: 'EXACT' },
        drKeyProperties: ['a', null],
      },
      versions: [{ uuid: 'u' }, null],
    });
  });

  it('keeps nulls, and leaves out members that the GraphQL answer leaves out', () => {
    expect(write({ label: null, dateCreated: null, changeVersion: 0, active: false, defaultVersion: null })).toBe(
      stringifyJson({ label: null, dateCreated: null, changeVersion: 0, active: false, defaultVersion: null }),
    );
    expect(write(null)).toBe('null');
  });

  it('leaves out requested members without a value', () => {
    expect(write({ label: null, versions: null })).toBe('{"label":null}');
  });

  it('spreads the members of an object among its siblings, and none when it is null', () => {
    expect(writeOutcome({ _spread: { uuid: 'u', versionNumber: 2 }, errors: null })).toBe(
      '{"uuid":"u","versionNumber":2,"errors":null}',
    );
    expect(writeOutcome({ _spread: null, errors: [{ code: 'REQUIRED' }] })).toBe('{"errors":[{"code":"REQUIRED"}]}');
  });

  it.each([
    ['FEDERATED', '{"uuid":"u","adaptorUuid":null,"drKey":{}}'],
    ['SERVICE_DATA_STORE', '{"uuid":"u","json":{"a":1},"drKey":{}}'],
  ])('shows the members of a %s record only, and not the deciding member', (domainType, text) => {
    expect(writeRecord({ uuid: 'u', domainType, adaptorUuid: null, json: '{"a":1}', drKey: '{}' })).toBe(text);
  });

  it('leaves out a member of a variant that the GraphQL answer leaves out', () => {
    expect(writeRecord({ uuid: 'u', domainType: 'SERVICE_DATA_STORE', adaptorUuid: null, drKey: '{}' })).toBe(
      '{"uuid":"u","drKey":{}}',
    );
  });

  it.each([
    [{ by: 'federated', members: {} }, '"federated"'],
    [{ by: 'domainType', members: { FEDERATED: ['drKey', 'createdByUuid'] } }, '"createdByUuid"'],
  ])('refuses variants %j that the document does not select', (variants, fault) => {
    expect(() => readOperation(recordDocument, schema, variants)).toThrow(fault);
  });
});
