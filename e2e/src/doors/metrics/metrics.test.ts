import { beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningAdaptor } from '@fds/adaptor-sdk';
import { eventually } from '@fds/testing';
import {
  allActions,
  createAdaptor,
  createVersion,
  requireStatus,
  type CreatedAdaptor,
} from '../../harness/catalogue.js';
import { promtool, promtoolMissing } from '../../harness/promtool.js';
import { startSourceAdaptor } from '../../harness/source-adaptor.js';
import { setUpDoors } from '../set-up-doors.js';
import { metricsText, seriesOf, sumOf, type MetricSeries } from './read-metrics.js';

const domain = 'metered';
/** Node has series for each kind of garbage collection from its first one on. */
const lasting = (all: readonly MetricSeries[]): readonly string[] =>
  all.map(({ name }) => name).filter((name) => !name.startsWith('nodejs_gc_'));
const why = promtoolMissing === undefined ? '' : ` (skipped: ${promtoolMissing})`;

describe('GET /metrics', () => {
  const { doors, leftovers } = setUpDoors({ FDS_METRICS_ADAPTORS: '2' });
  let source: CreatedAdaptor;
  let running: RunningAdaptor;
  let away: CreatedAdaptor;

  const series = async (): Promise<readonly MetricSeries[]> => seriesOf(await metricsText(doors.service));
  const value = async (name: string, labels?: Readonly<Record<string, string>>): Promise<number | undefined> =>
    sumOf(await series(), name, labels);
  /** The figures in the database are read every few seconds. */
  const untilFigures = (check: (all: readonly MetricSeries[]) => void): Promise<void> =>
    eventually(async () => check(await series()));
  const report = (id: string, n: number): Promise<unknown> =>
    running.publish({ action: 'POST', domain, version: 1, json: { id, n } });

  beforeAll(async () => {
    const { dgs, root, service } = doors;
    await createVersion(dgs, {
      name: domain,
      domainType: 'FEDERATED',
      properties: { id: { type: 'string' }, n: { type: 'integer' } },
      drKeyProperties: ['id'],
    });
    const capabilities = allActions(domain);
    source = await createAdaptor(dgs, root, { name: 'a source', capabilities });
    const destination = await createAdaptor(dgs, root, { name: 'a "second" source', capabilities });
    away = await createAdaptor(dgs, root, { name: 'away', capabilities });
    running = await startSourceAdaptor(leftovers, service, source, {});
    await startSourceAdaptor(leftovers, service, destination, { apply: async () => undefined });
    for (const n of [1, 2]) await report('one', n);
    await report('two', 1);
    await running.publish({ action: 'POST', domain, version: 1, json: { id: 'three', n: 'not a number' } });
    await eventually(async () =>
      expect(await value('fds_events_total', { stage: 'acknowledged', outcome: 'acknowledged' })).toBe(3),
    );
  }, 120_000);

  it('counts data events at each stage', async () => {
    const all = await series();
    const count = (stage: string, outcome: string): number | undefined =>
      sumOf(all, 'fds_events_total', { stage, outcome });
    expect(count('received', 'accepted')).toBe(4);
    expect([count('committed', 'changed'), count('committed', 'issue')]).toEqual([3, 1]);
    expect([count('matched', 'presumed_new'), count('matched', 'resolved')]).toEqual([2, 1]);
    expect(count('routed', 'queued')).toBe(6);
    expect(count('sent', 'sent')).toBe(3);
    const stages = new Set(all.filter(({ name }) => name === 'fds_events_total').map(({ labels }) => labels['stage']));
    expect([...stages]).toEqual(['received', 'committed', 'matched', 'routed', 'sent', 'acknowledged']);
  });

  it("counts people's changes where adaptors' events are", async () => {
    const { dgs } = doors;
    const before = await value('fds_events_total', { stage: 'committed', outcome: 'changed' });
    const stored = 'metered-store';
    await createVersion(dgs, {
      name: stored,
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: { type: 'string' } },
      drKeyProperties: ['id'],
    });
    requireStatus(await dgs.rest('POST', '/drs', { name: stored, json: { id: 'x' } }), 201);
    expect(await value('fds_events_total', { stage: 'committed', outcome: 'changed' })).toBe((before ?? 0) + 1);
  });

  it('shows the age of events from the time of their adaptors', async () => {
    await untilFigures((all) => {
      const labels = { adaptor: 'a source', zone: 'Root' };
      expect(sumOf(all, 'fds_event_age_seconds_count', { stage: 'committed', ...labels })).toBe(3);
      expect(sumOf(all, 'fds_event_age_seconds_count', { stage: 'acknowledged' })).toBe(3);
      expect(sumOf(all, 'fds_event_age_seconds_sum', { stage: 'committed' })).toBeGreaterThan(0);
    });
  });

  it('names as many adaptors as the setting says, and shows all others as one series', async () => {
    await untilFigures((all) => {
      const queues = all.filter(({ name }) => name === 'fds_queue_messages');
      expect(queues.map(({ labels, value: messages }) => [labels['adaptor'], labels['zone'], messages])).toEqual([
        ['a source', 'Root', 0],
        [String.raw`a \"second\" source`, 'Root', 0],
        // away has not taken its messages
        ['other', 'other', 3],
      ]);
      expect(sumOf(all, 'fds_queue_oldest_seconds', { adaptor: 'other' })).toBeGreaterThan(0);
      expect(sumOf(all, 'fds_queue_oldest_seconds', { adaptor: 'a source' })).toBe(0);
      expect(sumOf(all, 'fds_adaptors', { adaptor: 'a source', state: 'STARTED' })).toBe(1);
      expect(sumOf(all, 'fds_adaptors', { adaptor: 'other', state: 'DOWN' })).toBe(1);
      expect(sumOf(all, 'fds_adaptors')).toBe(3);
      expect(sumOf(all, 'fds_issues_open', { exception: 'PARSING', adaptor: 'a source' })).toBe(1);
      expect(sumOf(all, 'fds_issues_open')).toBe(1);
    });
    expect(away.uuid).toBeDefined();
  });

  it('shows the state of the process', async () => {
    // connected or not
    await untilFigures((figures) => expect(sumOf(figures, 'fds_leases')).toBe(3));
    const all = await series();
    expect(sumOf(all, 'fds_lease_takeovers_total')).toBe(0);
    expect(sumOf(all, 'fds_bus_connected')).toBe(1);
    expect(sumOf(all, 'fds_bus_reconnects_total')).toBe(0);
    expect(sumOf(all, 'fds_db_pool_connections', { share: 'work' })).toBeGreaterThan(0);
    expect(sumOf(all, 'fds_db_wait_seconds_count', { share: 'events' })).toBeGreaterThan(0);
    const readers = all.filter(({ name }) => name === 'fds_change_log_lag').map(({ labels }) => labels['reader']);
    expect(readers.sort((a = '', b = '') => (a < b ? -1 : 1))).toEqual([
      'broker',
      'identity',
      'notifications',
      'records',
    ]);
    const [build] = all.filter(({ name }) => name === 'fds_build_info');
    expect(build?.labels).toEqual({
      version: expect.stringMatching(/^\d+\.\d+/) as unknown,
      node: expect.stringMatching(/^\d+\./) as unknown,
      postgres: expect.stringMatching(/^\d+/) as unknown,
    });
    expect(sumOf(all, 'fds_reconciliations', { status: 'RUNNING' })).toBe(0);
    expect(sumOf(all, 'fds_hub_behind_messages')).toBe(0);
    expect(sumOf(all, 'fds_webhook_queue_messages')).toBe(0);
  });

  it('shows that no messages are missing', async () => {
    expect(await value('fds_hub_behind_messages')).toBe(0);
  });

  it('measures requests by the template of their path, and unknown paths as one', async () => {
    const { admin, root } = doors;
    const known = { method: 'GET', route: '/api/zones/:zoneUuid', status: '200' };
    const before = (await value('http_server_request_duration_seconds_count', known)) ?? 0;
    requireStatus(await admin.rest('GET', `/zones/${root}`), 200);
    await eventually(async () =>
      expect(await value('http_server_request_duration_seconds_count', known)).toBe(before + 1),
    );
    await admin.call('/unknown');
    await admin.call('/api/unknown');
    await admin.rest('GET', `/zones/${source.uuid}`);
    const before404 = lasting(await series());
    for (let n = 0; n < 250; n += 1) {
      await admin.call(`/unknown-${n}`);
      await admin.rest('GET', `/unknown-${n}`);
    }
    const all = await series();
    expect(lasting(all)).toEqual(before404);
    const unknown = { method: 'GET', route: 'unknown', status: '404' };
    expect(sumOf(all, 'http_server_request_duration_seconds_count', unknown)).toBeGreaterThanOrEqual(502);
  }, 60_000);

  it('measures GraphQL operations by type and outcome, and errors by code, regardless of their names', async () => {
    const { admin, anyone } = doors;
    const ask = (n: number): Promise<unknown> => admin.graphql(`query Name${n} { zones { __typename } }`);
    await ask(0);
    await admin.graphql('query { nothing }');
    await admin.graphql('query {');
    await anyone.graphql('query { zones { __typename } }');
    const before = await series();
    const count = (all: readonly MetricSeries[], outcome: string): number =>
      sumOf(all, 'fds_graphql_operation_seconds_count', { type: 'query', outcome }) ?? 0;
    expect(sumOf(before, 'fds_graphql_errors_total', { code: 'GRAPHQL_PARSE_FAILED' })).toBe(1);
    expect(sumOf(before, 'fds_graphql_errors_total', { code: 'GRAPHQL_VALIDATION_FAILED' })).toBe(1);
    expect(sumOf(before, 'fds_graphql_errors_total', { code: 'UNAUTHENTICATED' })).toBe(1);
    expect(count(before, 'error')).toBe(1);
    for (let n = 1; n <= 500; n += 1) await ask(n);
    const all = await series();
    expect(lasting(all)).toEqual(lasting(before));
    expect(count(all, 'success') - count(before, 'success')).toBe(500);
  }, 60_000);

  it('is a problem with status 401 without a token that is needed, and costs the database nothing', async () => {
    const url = `${doors.service.baseUrl}/metrics`;
    const answer = await fetch(url, { headers: { 'x-forwarded-for': '10.0.0.1' } });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      401,
      'application/problem+json; charset=utf-8',
    ]);
    expect(await answer.json()).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
    const headers = { 'x-forwarded-for': '10.0.0.1', authorization: `Bearer ${doors.admin.token}` };
    expect((await fetch(url, { headers })).status).toBe(200);
  });

  (promtoolMissing === undefined ? it : it.skip)(`is in order for promtool${why}`, async () => {
    expect(promtool(['check', 'metrics'], await metricsText(doors.service))).toBe('');
    running.caughtUp('a source');
    await running.reportError({ level: 'ERROR', kind: 'CONFIGURATION', message: 'an error' });
    const figures = await (await fetch(`http://localhost:${running.healthPort}/metrics`)).text();
    expect(figures).toContain('fds_adaptor_source_lag_seconds 0');
    expect(promtool(['check', 'metrics'], figures)).toBe('');
  });
});
