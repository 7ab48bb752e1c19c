import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@fds/testing';
import { allActions, createAdaptor, createVersion, requireStatus } from '../../harness/catalogue.js';
import { startSourceAdaptor } from '../../harness/source-adaptor.js';
import { setUpDoors } from '../set-up-doors.js';

const domain = 'explained';

interface Answer {
  readonly id: string;
  readonly kind: string;
  readonly hidden: boolean;
  readonly events: readonly {
    readonly uuid: string;
    readonly transactionUuid: string;
    readonly requestId: string | null;
    readonly source: object;
    readonly steps: readonly { readonly at: number; readonly stage: string }[];
    readonly destinations: readonly object[];
  }[];
  readonly related: readonly { readonly kind: string; readonly id: string }[];
}

/** The example of the page. */
const example = (): object => {
  const page = readFileSync(new URL('../../../../docs/reference/explain.md', import.meta.url), 'utf8');
  return JSON.parse(/```json\n([\s\S]*?)```/.exec(page)?.[1] ?? '') as object;
};

describe('GET /explain/{id}', () => {
  const { doors, leftovers } = setUpDoors();
  let record: string;
  let transactionUuid: string;

  beforeAll(async () => {
    const { dgs, admin, root, service } = doors;
    const { domainVersionUuid } = await createVersion(dgs, {
      name: domain,
      domainType: 'FEDERATED',
      properties: { id: { type: 'integer' }, name: { type: 'string' }, salary: { type: 'integer' } },
      drKeyProperties: ['id'],
    });
    const zone = { name: 'explained-staff', parentZoneUuid: root };
    const staff = requireStatus(await admin.rest('POST', '/zones', zone), 201).body.uuid;
    const hr = await createAdaptor(dgs, staff, { name: 'hr', capabilities: allActions(domain) });
    await createAdaptor(dgs, root, { name: 'directory', capabilities: allActions(domain) });
    await createAdaptor(dgs, root, {
      name: 'archive',
      capabilities: [{ domainName: domain, versionNumber: 1, action: 'GET' }],
    });
    const entry = { domainVersionUuid, properties: ['salary'], post: 'DENY', put: 'DENY' };
    requireStatus(await dgs.rest('POST', `/zones/${staff}/outbound-acls`, entry), 201);
    const source = await startSourceAdaptor(leftovers, service, hr, {});
    await source.publish({ action: 'PUT', domain, version: 1, json: { id: 1, name: 'Ada', salary: 90_000 } });
    record = await eventually(async () => {
      const { body } = await dgs.rest<{ drs: readonly { uuid: string }[] }>('GET', `/drs?filters=name:${domain}`);
      return body.drs[0]?.uuid ?? Promise.reject(new Error('there is no record'));
    });
  }, 120_000);

  const explain = async (id: string): Promise<Answer> =>
    requireStatus(await doors.dgs.rest<Answer>('GET', `/explain/${id}`), 200).body;

  it('answers as the example of the page', async () => {
    const shown = await explain(record);
    expect(shown).toMatchObject(example());
    expect(shown.id).toBe(record);
    expect(shown.events[0]?.steps.map(({ stage }) => stage)).toEqual([
      'RECEIVED',
      'VALIDATED',
      'MATCHED',
      'OPERATIONAL',
      'LINKED',
      'COMMITTED',
    ]);
    expect(shown.events[0]?.steps.every(({ at }) => Number.isInteger(at))).toBe(true);
    transactionUuid = shown.events[0]?.transactionUuid ?? '';
    expect(await explain(transactionUuid)).toMatchObject({
      kind: 'TRANSACTION',
      events: [{ transactionUuid }],
      related: expect.arrayContaining([expect.objectContaining({ kind: 'RECORD', id: record })]),
    });
  });

  it('finds the events of a request by its id, with the person', async () => {
    await createVersion(doors.dgs, {
      name: `${domain}_store`,
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: { type: 'integer' } },
      drKeyProperties: ['id'],
    });
    const requestId = `request-${randomUUID().slice(0, 8)}`;
    const response = await fetch(`${doors.service.baseUrl}/api/drs`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${doors.dgs.token}`,
        'content-type': 'application/json',
        'x-request-id': requestId,
      },
      body: JSON.stringify({ name: `${domain}_store`, json: { id: 1 } }),
    });
    expect(response.status).toBe(201);
    expect(await explain(requestId)).toMatchObject({
      id: requestId,
      kind: 'REQUEST',
      events: [
        { requestId, action: 'POST', source: { adaptorUuid: null, name: 'Data Governance Steward' }, destinations: [] },
      ],
    });
  });

  it('is refused to callers without the permission, and does not know other ids', async () => {
    const { status } = await doors.admin.rest('GET', `/explain/${record}`);
    expect(status).toBe(403);
    expect((await doors.dgs.rest('GET', `/explain/${randomUUID()}`)).status).toBe(404);
  });
});
