import { maxPayloadBytes, stringifyJson, type OpsRequest } from '@fds/adaptor-protocol';
import { describe, expect, it } from '@jest/globals';
import { withModelsThatFit } from './models-that-fit.js';

const version = (domain: string, letters: number) => ({
  domain,
  version: 1,
  domainVersionUuid: '0199d0a0-0000-7000-8000-000000000001',
  drKeyProperties: ['id'],
  modelSchema: { properties: { id: { type: 'string', description: 'ä'.repeat(letters) } } },
});

const requestOf = (...letters: readonly number[]): OpsRequest => ({
  operation: 'START',
  requestId: 'r',
  domainVersions: letters.map((length, index) => version(`d${index}`, length)),
});

const withModels = (request: OpsRequest): (string | undefined)[] =>
  (request.domainVersions ?? []).flatMap(({ domain, modelSchema }) => (modelSchema === undefined ? [] : [domain]));

describe('the models in START and METADATA', () => {
  it('are all included when they fit', () => {
    const request = requestOf(10, 20_000, 30_000);
    expect(withModelsThatFit(request)).toBe(request);
  });

  it('are left out, the largest first, until the message fits', () => {
    const fitted = withModelsThatFit(requestOf(60_000, 10, 100_000, 40_000));
    expect(withModels(fitted)).toEqual(['d0', 'd1', 'd3']);
    expect(fitted.domainVersions).toHaveLength(4);
    const bytes = Buffer.byteLength(stringifyJson(fitted));
    expect(bytes).toBeLessThan(maxPayloadBytes);
  });

  it('leave a message alone that is too large without them', () => {
    const fitted = withModelsThatFit({ ...requestOf(10), metadata: { text: 'x'.repeat(maxPayloadBytes) } });
    expect(withModels(fitted)).toEqual([]);
    expect(fitted.metadata).toBeDefined();
  });
});
