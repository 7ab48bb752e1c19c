import { describe, expect, it } from '@jest/globals';
import { buildMessage, parseMessage, topicOf } from '@fds/adaptor-protocol';
import { allActions, createAdaptor, createVersion } from '../../harness/catalogue.js';
import { exchange } from '../../harness/exchange.js';
import { connectWireAdaptor, stampOf } from '../../harness/wire-adaptor.js';
import { setUpDoors } from '../set-up-doors.js';
import { boundHits } from './bound-hits.js';
import { residentGrowth } from './resident-growth.js';

const domainName = 'endless';
const parts = 2_000;
const partBytes = 240 * 1024;

interface Assembled {
  readonly completeness: readonly { readonly outcome: string }[];
}

describe('an adaptor that sends an endless answer to an assembly request', () => {
  const { doors, leftovers } = setUpDoors();

  it('counts as failed, and does not fill the memory', async () => {
    await createVersion(doors.dgs, {
      name: domainName,
      domainType: 'FEDERATED',
      properties: { id: { type: 'string' }, text: { type: 'string' } },
      drKeyProperties: ['id'],
    });
    const created = await doors.dgs.rest<{ uuid: string }>('POST', '/drs/bulk?filters=name:endless', [{ id: '1' }]);
    expect(created.status).toBe(200);
    const adaptor = await createAdaptor(doors.dgs, doors.root, {
      name: 'Endless',
      capabilities: allActions(domainName),
    });
    const { ops } = await connectWireAdaptor(leftovers, doors.service.busUrl, adaptor);
    const drKey = { id: '1' };
    await ops.publishAsync(
      topicOf({ adaptorUuid: adaptor.uuid, channel: 'up/link' }),
      buildMessage('up/link', {
        ...stampOf(adaptor),
        type: 'fds.link.v1',
        data: { links: [{ drKey, domain: domainName, version: 1, action: 'LINK' }] },
      }),
      { qos: 1 },
    );

    const text = 'x'.repeat(partBytes);
    const flood = async (requestUuid: string, drUuid: string): Promise<void> => {
      for (let part = 1; part <= parts; part += 1) {
        await ops.publishAsync(
          topicOf({ adaptorUuid: adaptor.uuid, channel: 'up/rsp' }),
          buildMessage('up/rsp', {
            ...stampOf(adaptor),
            type: 'fds.assembly.answer.v1',
            correlationid: requestUuid,
            data: { requestUuid, part, last: false, records: [{ drUuid, drKey, data: { id: '1', text } }] },
          }),
          { qos: 1 },
        );
      }
    };
    let flooding: Promise<void> | undefined;
    ops.on('message', (topic, payload) => {
      if (!topic.endsWith('/down/req')) return;
      const request = parseMessage('down/req', payload);
      const [record] = request.ok ? (request.value.data.records ?? []) : [];
      if (request.ok && record !== undefined) flooding ??= flood(request.value.data.requestUuid, record.drUuid);
    });

    const outcomes: string[] = [];
    const grownMib = await residentGrowth(doors.service.process().pid, async () => {
      const { body } = await exchange<Assembled>(`${doors.service.assemblyUrl}/request`, {
        token: doors.dgs.token ?? '',
        method: 'POST',
        json: { domain: domainName, timeout: 30 },
      });
      outcomes.push(...body.completeness.map(({ outcome }) => outcome));
      await flooding;
    });
    expect(grownMib).toBeLessThan(160);
    expect(outcomes).toEqual(['FAILED']);
    expect(await boundHits(doors.service, 'assembly_answer')).toBeGreaterThanOrEqual(1);
  }, 120_000);
});
