import { eventually } from '@fds/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { AssembledRecord, AssemblyAnswer } from '../doors/assembly/assembly-answer.js';
import { setUpDoors } from '../doors/set-up-doors.js';
import { startAdaptorProcess, type AdaptorProcess } from '../harness/adaptor-process.js';
import { allActions, createAdaptor, createVersion, requireStatus } from '../harness/catalogue.js';
import { exchange } from '../harness/exchange.js';
import { startSourceAdaptor } from '../harness/source-adaptor.js';

const domain = 'patient';
const hour = 3_600_000;
const start = Date.UTC(2026, 0, 1);

describe('a temporal adaptor', () => {
  const { doors, leftovers } = setUpDoors();
  const sources = {} as Record<'ward' | 'desk', Awaited<ReturnType<typeof startSourceAdaptor>>>;
  let temporalUuid: string;
  let temporal: AdaptorProcess;

  beforeAll(async () => {
    const { dgs, root, service } = doors;
    await createVersion(dgs, {
      name: domain,
      domainType: 'FEDERATED',
      properties: { id: { type: 'integer' }, name: { type: 'string' }, room: { type: 'string' } },
      drKeyProperties: ['id'],
    });
    const created = await createAdaptor(dgs, root, { name: 'history', capabilities: allActions(domain) });
    temporalUuid = created.uuid;
    temporal = await startAdaptorProcess(leftovers, service, created, { script: 'adaptors/temporal/dist/main.js' });
    await temporal.untilUp();
    for (const name of ['ward', 'desk'] as const) {
      const source = await createAdaptor(dgs, root, { name, capabilities: allActions(domain) });
      sources[name] = await startSourceAdaptor(leftovers, service, source, { apply: () => undefined });
    }
  }, 120_000);

  const assemble = async (additionalParams: object): Promise<AssembledRecord | undefined> => {
    const { body } = requireStatus(
      await exchange<AssemblyAnswer>(`${doors.service.assemblyUrl}/request`, {
        token: doors.dgs.token ?? '',
        method: 'POST',
        json: { domain, drKeys: [{ id: 1 }], adaptors: [temporalUuid], additionalParams },
      }),
      200,
    );
    return body.assembledDataRecords[0];
  };
  const timestamps = async (more: object = {}): Promise<readonly number[] | undefined> =>
    (await assemble({ 'timestamp-search': true, ...more }))?.timestamps;
  const report = (name: 'ward' | 'desk', json: object, at: number): Promise<void> =>
    sources[name].publish({ action: 'PUT', domain, version: 1, json: { id: 1, ...json }, createTime: at });

  it('answers as of a moment, finds the moments of a record, and loses nothing when it is killed', async () => {
    await report('ward', { name: 'Ada', room: '7' }, start);
    await eventually(async () => expect(await timestamps()).toEqual([start]));

    await temporal.kill();
    await report('ward', { room: null }, start + hour);
    temporal.start();
    await eventually(async () => expect(await timestamps()).toEqual([start, start + hour]));
    await report('desk', { name: 'Ada L.' }, start + 2 * hour);
    await eventually(async () => expect(await timestamps()).toEqual([start, start + hour, start + 2 * hour]));

    const dataAt = async (timestamp: unknown) => (await assemble({ timestamp }))?.data;
    expect(await dataAt(start)).toEqual({ id: 1, name: 'Ada', room: '7' });
    expect(await dataAt('2026-01-01T02:30:00+01:00')).toEqual({ id: 1, name: 'Ada', room: null });
    expect((await assemble({}))?.data).toEqual({ id: 1, name: 'Ada L.', room: null });
    expect((await assemble({ 'source-adaptor': sources.desk.adaptorUuid }))?.data).toEqual({ id: 1, name: 'Ada L.' });

    expect(await timestamps({ 'source-adaptor': sources.ward.adaptorUuid })).toEqual([start, start + hour]);
    expect(await timestamps({ 'timestamp-ascending': false, 'timestamp-max': 2 })).toEqual([
      start + 2 * hour,
      start + hour,
    ]);
    expect(await timestamps({ 'timestamp-start': start + 1, 'timestamp-end': '2026-01-01T01:00:00Z' })).toEqual([
      start + hour,
    ]);
  }, 120_000);
});
