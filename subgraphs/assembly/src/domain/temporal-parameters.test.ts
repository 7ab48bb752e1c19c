import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@fds/json';
import { mergeTimestamps, temporalFaults, timestampSearchOf } from './temporal-parameters.js';

describe('temporalFaults', () => {
  it.each<JsonObject>([
    {},
    { timestamp: 0 },
    { timestamp: -1.5, 'timestamp-start': null },
    { timestamp: '2026-01-31T10:00Z' },
    { 'timestamp-start': '20260131T100000,5+0100', 'timestamp-end': '2026-01-31T10:00:00.123456-05:30' },
    { 'timestamp-search': true, 'timestamp-ascending': false, 'timestamp-max': 3 },
    { 'source-adaptor': '0199D0A0-0000-7000-8000-000000000001' },
    { depth: 'of the adaptor itself', Timestamp: 'another name' },
  ])('finds none in %j', (params) => {
    expect(temporalFaults(params)).toEqual([]);
  });

  it.each<[string, JsonObject]>([
    ['timestamp', { timestamp: 'yesterday' }],
    ['timestamp', { timestamp: '2026-01-31T10:00' }],
    ['timestamp', { timestamp: true }],
    ['timestamp-start', { 'timestamp-start': '2026-01-31' }],
    ['timestamp-end', { 'timestamp-end': {} }],
    ['timestamp-search', { 'timestamp-search': 'true' }],
    ['timestamp-ascending', { 'timestamp-ascending': 1 }],
    ['timestamp-max', { 'timestamp-max': -1 }],
    ['timestamp-max', { 'timestamp-max': 1.5 }],
    ['source-adaptor', { 'source-adaptor': 'CRM' }],
  ])('points at %s in %j', (name, params) => {
    expect(temporalFaults(params)).toMatchObject([{ pointer: `/additionalParams/${name}`, code: 'INVALID_VALUE' }]);
  });
});

describe('timestampSearchOf', () => {
  it.each<[JsonObject | undefined, object | undefined]>([
    [undefined, undefined],
    [{ timestamp: 1 }, undefined],
    [{ 'timestamp-search': false, 'timestamp-max': 3 }, undefined],
    [{ 'timestamp-search': true }, { ascending: true, max: undefined }],
    [
      { 'timestamp-search': true, 'timestamp-ascending': false, 'timestamp-max': 0 },
      { ascending: false, max: 0 },
    ],
  ])('of %j is %j', (params, search) => {
    expect(timestampSearchOf(params)).toEqual(search);
  });
});

describe('mergeTimestamps', () => {
  const lists = [[30, 10], [20, 10, -5], []];

  it.each([
    [{ ascending: true, max: undefined }, [-5, 10, 20, 30]],
    [{ ascending: false, max: undefined }, [30, 20, 10, -5]],
    [{ ascending: true, max: 2 }, [-5, 10]],
    [{ ascending: false, max: 3 }, [30, 20, 10]],
    [{ ascending: true, max: 0 }, []],
  ])('returns each once, as %j requires', (search, merged) => {
    expect(mergeTimestamps(lists, search)).toEqual(merged);
  });
});
