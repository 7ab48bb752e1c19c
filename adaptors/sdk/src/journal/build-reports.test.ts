import { describe, expect, it } from '@jest/globals';
import { type Link, maxPayloadBytes, parseMessage } from '@fds/adaptor-protocol';
import { numbered } from '../numbering.js';
import { buildReports } from './build-reports.js';

const adaptorUuid = '01a20206-0cff-70a4-a9ac-c0fc1a352595';
let count = 0;
const fresh = {
  newUuid: () => `00000000-0000-4000-8000-${String((count += 1)).padStart(12, '0')}`,
  now: () => new Date(0),
};
const linkOf = (id: string): Link => ({ action: 'LINK', domain: 'customer', version: 1, drKey: { id } });
const linksIn = (body: string): readonly Link[] => {
  const parsed = parseMessage('up/data', Buffer.from(body));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
  if (parsed.value.type !== 'fds.link.v1') throw new TypeError('not a report of links');
  return parsed.value.data.links;
};

describe('buildReports', () => {
  it('puts links into one message, in their order', () => {
    const links = Array.from({ length: 100 }, (_, index) => linkOf(String(index)));
    const reports = buildReports(
      adaptorUuid,
      links.map((link) => ({ link })),
      fresh,
    );
    expect(reports.map(({ channel }) => channel)).toEqual(['up/data']);
    expect(linksIn(reports[0]?.body ?? '')).toEqual(links);
  });

  it('uses as many messages as the number and the size of the links require', () => {
    for (const links of [
      Array.from({ length: 1_000 }, (_, index) => linkOf(String(index))),
      Array.from({ length: 50 }, (_, index) => linkOf(`${index}${'x'.repeat(20_000)}`)),
    ]) {
      const reports = buildReports(
        adaptorUuid,
        links.map((link) => ({ link })),
        fresh,
      );
      expect(reports.length).toBeGreaterThan(1);
      expect(
        reports.every(
          ({ body }) =>
            Buffer.byteLength(numbered(body, adaptorUuid, { sequence: 1, isResent: true })) <= maxPayloadBytes,
        ),
      ).toBe(true);
      expect(reports.flatMap(({ body }) => linksIn(body))).toEqual(links);
      expect(new Set(reports.map(({ body }) => /"id":"([^"]+)"/.exec(body)?.[1])).size).toBe(reports.length);
    }
  });

  it('reports each error separately', () => {
    const error = { level: 'ERROR', kind: 'DATA', message: 'no' } as const;
    const reports = buildReports(adaptorUuid, [{ error }, { link: linkOf('1') }, { error }], fresh);
    expect(reports.map(({ channel }) => channel)).toEqual(['up/data', 'up/ops', 'up/ops']);
  });

  it('returns no reports when there are no bodies', () => {
    expect(buildReports(adaptorUuid, [], fresh)).toEqual([]);
  });
});
