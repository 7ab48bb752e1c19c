import { describe, expect, it } from '@jest/globals';
import { eventually } from '@fds/testing';
import { allActions, createAdaptor, createVersion, requireStatus } from '../../harness/catalogue.js';
import { startSourceAdaptor } from '../../harness/source-adaptor.js';
import type { Resource } from '../open-doors.js';
import { shareDoors } from '../set-up-doors.js';

describe('discovery mode', () => {
  const { doors, leftovers } = shareDoors();
  const linkedTo = async (adaptorUuid: string): Promise<readonly unknown[]> => {
    const path = `/drs?filters=name:discovered,adaptor:${adaptorUuid}&sort=id`;
    const { drs } = requireStatus(await doors.dgs.rest<{ drs: readonly Resource[] }>('GET', path), 200).body;
    return drs.map((row) => row['drKey']);
  };

  it('links an event that was published in discovery mode and arrives later, and routes it to no adaptor', async () => {
    await createVersion(doors.dgs, {
      name: 'discovered',
      domainType: 'FEDERATED',
      properties: { id: { type: 'string' }, name: { type: 'string' } },
      drKeyProperties: ['id'],
    });
    const capabilities = allActions('discovered');
    const [source, destination] = [
      await createAdaptor(doors.dgs, doors.root, { name: 'discovering', capabilities }),
      await createAdaptor(doors.dgs, doors.root, { name: 'destination', capabilities }),
    ];
    const modes: boolean[] = [];
    const applied: unknown[] = [];
    const running = await startSourceAdaptor(leftovers, doors.service, source, {
      configure: ({ discoveryMode }) => void modes.push(discoveryMode),
    });
    const receiving = await startSourceAdaptor(leftovers, doors.service, destination, {
      apply: ({ json }) => void applied.push(json['id']),
    });
    await eventually(() => expect([running.state, receiving.state]).toEqual(['STARTED', 'STARTED']));
    const path = `/zones/${doors.root}/adaptors/${source.uuid}`;
    const patch = async (json: object): Promise<void> => {
      const { changeVersion } = requireStatus(await doors.dgs.rest('GET', path), 200).body;
      requireStatus(await doors.dgs.rest('PATCH', path, { changeVersion, ...json }), 200);
    };
    const publish = (id: string): Promise<void> =>
      running.publish({ action: 'POST', domain: 'discovered', version: 1, json: { id, name: id } });

    await patch({ discoveryMode: true });
    await eventually(() => expect(modes.at(-1)).toBe(true));
    // a paused adaptor has no data client: its events wait in the journal
    await patch({ state: 'PAUSE' });
    await eventually(() => expect(running.state).toBe('PAUSED'));
    await publish('found');
    await patch({ discoveryMode: false });
    await eventually(() => expect(modes.at(-1)).toBe(false));
    await patch({ state: 'PLAY' });
    await publish('changed');

    // the destination receives events in order, so the first one would have arrived before
    await eventually(() => expect(applied).toContain('changed'));
    expect(applied).toEqual(['changed']);
    expect(await linkedTo(source.uuid)).toEqual([{ id: 'changed' }, { id: 'found' }]);
    await eventually(async () => expect(await linkedTo(destination.uuid)).toEqual([{ id: 'changed' }]));
  }, 60_000);
});
