import type { JsonObject } from '@fds/adaptor-sdk';
import { describe, expect, it } from '@jest/globals';
import { readTemporalRequest } from './temporal-request.js';

const noon = Date.UTC(2026, 0, 2, 12);

describe('readTemporalRequest', () => {
  it('requests the current record when there are no parameters', () => {
    expect(readTemporalRequest()).toEqual({ timestamp: undefined, sourceAdaptor: undefined, search: undefined });
    expect(readTemporalRequest({ timestamp: null, other: [1] })).toEqual(readTemporalRequest());
  });

  it.each([
    [noon],
    ['2026-01-02T12:00:00Z'],
    ['2026-01-02T13:00:00.000+01:00'],
    ['20260102T120000Z'],
    ['2026-01-02T12:00:00,000Z'],
    ['2026-01-02T12Z'],
  ])('reads the time %s', (timestamp) => {
    expect(readTemporalRequest({ timestamp }).timestamp).toBe(noon);
  });

  it('reads a search with its defaults', () => {
    expect(readTemporalRequest({ 'timestamp-search': true }).search).toEqual({
      start: undefined,
      end: undefined,
      ascending: true,
      max: undefined,
    });
    const given: JsonObject = {
      'timestamp-search': true,
      'timestamp-start': 1,
      'timestamp-end': '1970-01-01T00:00:00.002Z',
      'timestamp-ascending': false,
      'timestamp-max': 5,
      'source-adaptor': '0197A7B2-0000-7000-8000-000000000001',
    };
    expect(readTemporalRequest(given)).toEqual({
      timestamp: undefined,
      sourceAdaptor: '0197a7b2-0000-7000-8000-000000000001',
      search: { start: 1, end: 2, ascending: false, max: 5 },
    });
  });

  it.each([
    ['timestamp', '2026-01-02T12:00:00'],
    ['timestamp', 'yesterday'],
    ['timestamp', true],
    ['timestamp-start', '2026-13-01T00:00:00Z'],
    ['timestamp-end', {}],
    ['timestamp-search', 'yes'],
    ['timestamp-ascending', 1],
    ['timestamp-max', -1],
    ['timestamp-max', 1.5],
    ['source-adaptor', 7],
  ])('refuses %s %j with an error that names the parameter', (name, value) => {
    expect(() => readTemporalRequest({ [name]: value })).toThrow(`additionalParams: ${name} `);
  });
});
