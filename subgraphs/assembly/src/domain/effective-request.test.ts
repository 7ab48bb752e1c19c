import type { AssemblyRequest } from '@fds/assembly-contract';
import { describe, expect, it } from '@jest/globals';
import { readRequest } from './effective-request.js';

const zoneUuid = '01a2059f-59f2-748b-a0cd-5f85501dc0a6';
const asker = { zones: [{ zoneUuid, knowsPerson: true }], defaultZoneUuid: zoneUuid };

describe('an assembly request', () => {
  it.each([[[]], ['text'], [5], [true]])('refuses %j as additionalParams', (additionalParams) => {
    // the doors pass on any JSON value
    const request = { domain: 'people', additionalParams } as unknown as AssemblyRequest;
    expect(readRequest(request, asker).faults).toEqual([
      { pointer: '/additionalParams', code: 'WRONG_TYPE', detail: 'additionalParams must be an object' },
    ]);
  });

  it.each([
    ['of several zones', [true, true], ['REQUIRED']],
    ['whom a stranger added to another zone', [true, false], []],
    ['whom strangers added to every zone', [false, false], []],
  ])('names its zone when the caller is a user %s', (_who, known, codes) => {
    const zones = known.map((knowsPerson, at) => ({ zoneUuid: at === 0 ? zoneUuid : `other ${at}`, knowsPerson }));
    const { request, faults } = readRequest({ domain: 'people' }, { zones, defaultZoneUuid: zoneUuid });
    expect(faults.map(({ pointer, code }) => [pointer, code])).toEqual(codes.map((code) => ['/zoneUuid', code]));
    expect(request.zoneUuid).toBe(zoneUuid);
    expect(readRequest({ domain: 'people', zoneUuid }, { zones, defaultZoneUuid: undefined }).faults).toEqual([]);
  });

  it('accepts an object as additionalParams, with any members that are not temporal parameters', () => {
    expect(readRequest({ domain: 'people', additionalParams: { any: [1] } }, asker).faults).toEqual([]);
  });

  it('has the defaults of the specification', () => {
    expect(readRequest({ domain: 'people' }, asker).request).toMatchObject({
      zoneUuid,
      versionNumber: 1,
      timeout: 30,
      releasePolicy: 'GOLD_SILVER',
      expandRefs: false,
      maxRefSize: 10,
      maxRefDepth: 10,
      page: 0,
      size: 10,
    });
  });
});
