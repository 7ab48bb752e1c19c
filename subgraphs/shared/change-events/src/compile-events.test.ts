import { describe, expect, it } from '@jest/globals';
import type { ChangeEvent } from './change-event.js';
import { compileEvents, matchesEvents } from './compile-events.js';
import type { EventAction } from './event-entry.js';
import { notifiedTypes } from './notified-types.js';

const zone = '01920000-0000-7000-8000-000000000001';
const adaptor = '01920000-0000-7000-8000-000000000002';

const change = (resource: string, more: Partial<ChangeEvent> = {}): ChangeEvent => ({
  action: 'POST',
  resourceType: 'Zone',
  resource,
  ...more,
});
const matches = (pattern: string, resource: string): boolean =>
  matchesEvents([{ resource: pattern, actions: ['ALL'] }], change(resource));

describe('events', () => {
  it.each<[string, string, boolean]>([
    [`/zones/${zone}`, `/zones/${zone}`, true],
    [`/api/zones/${zone}`, `/zones/${zone}`, true],
    [`/zones/${zone}`, `/zones/${adaptor}`, false],
    ['/zones/?', `/zones/${zone}`, true],
    ['/zones/?', `/zones/${zone}/adaptors/${adaptor}`, false],
    ['/zones/?', '/zones', false],
    ['/zones/*', `/zones/${zone}`, true],
    ['/zones/*', `/zones/${zone}/adaptors/${adaptor}`, true],
    ['/zones/*', '/zones', false],
    [`/zones/${zone}/*`, `/zones/${zone}`, false],
    [`/zones/${zone}/*`, `/zones/${zone}/adaptors/${adaptor}`, true],
    ['/zones/?/adaptors/?', `/zones/${zone}/adaptors/${adaptor}`, true],
    ['/zones/?/adaptors/?', `/zones/${zone}/adaptors/${adaptor}/registration`, false],
    ['/zones/?/adaptors/*', `/zones/${zone}/adaptors/${adaptor}/registration`, true],
    ['/*', `/zones/${zone}`, true],
    ['/*/adaptors/?', `/zones/${zone}/adaptors/${adaptor}`, true],
    ['/domains/?', `/zones/${zone}`, false],
  ])('%s matches %s: %s', (pattern, resource, expected) => expect(matches(pattern, resource)).toBe(expected));

  it.each<[EventAction[], boolean]>([
    [['POST'], true],
    [['PUT', 'PATCH', 'DELETE'], false],
    [['DELETE', 'ALL'], true],
  ])('with the actions %j match a POST: %s', (actions, expected) => {
    expect(matchesEvents([{ resource: '/zones/?', actions }], change(`/zones/${zone}`))).toBe(expected);
  });

  it('match when one of them does', () => {
    const { matches: match } = compileEvents([
      { resource: '/domains/*', actions: ['ALL'] },
      { resource: '/zones/?', actions: ['POST'] },
    ]);
    expect([match(change(`/zones/${zone}`)), match(change(`/zones/${zone}`, { action: 'PUT' }))]).toEqual([
      true,
      false,
    ]);
  });

  it('match every type of a resource, and none of the internal types', () => {
    const { matches: match } = compileEvents([{ resource: '/*', actions: ['ALL'] }]);
    for (const resourceType of notifiedTypes) expect(match(change('/a/1', { resourceType }))).toBe(true);
    for (const resourceType of ['Token', 'RefusedAccess']) expect(match(change('/a/1', { resourceType }))).toBe(false);
  });

  it('match a resource by each of its paths', () => {
    const version = change(`/domains/${zone}/versions/${adaptor}`, {
      resourceType: 'DomainVersion',
      resourceUuid: adaptor,
    });
    const issue = change(`/zones/${zone}/issues/1`, {
      resourceType: 'DataIssue',
      resourceUuid: '1',
      zoneUuid: zone,
      data: { adaptor: { uuid: adaptor }, domainVersion: { uuid: 'v', domain: { uuid: 'd' } } },
    });
    const meant = (pattern: string, of: ChangeEvent) => matchesEvents([{ resource: pattern, actions: ['ALL'] }], of);
    expect(meant('/domains/versions/?', version)).toBe(true);
    expect(meant('/domains/?/versions/?', version)).toBe(true);
    expect(meant(`/zones/${zone}/adaptors/${adaptor}/issues/?`, issue)).toBe(true);
    expect(meant(`/zones/?/adaptors/?/domains/?/versions/?/issues/?`, issue)).toBe(true);
    expect(meant(`/zones/${zone}/issues/?`, issue)).toBe(true);
    expect(meant(`/zones/${zone}/adaptors/other/issues/?`, issue)).toBe(false);
  });
});
