import { describe, expect, it } from '@jest/globals';
import { eventually } from '@fds/testing';
import { createVersion } from '../../harness/catalogue.js';
import { setUpDoors } from '../set-up-doors.js';

const rows = 60_000;
/** V8 chooses when it collects, so some files leave less garbage than others. */
const maxFiles = 8;
const garbageMib = 48;

describe('the heap of a service', () => {
  const { doors } = setUpDoors({ FDS_IDLE_COLLECT_MIB: '16' });

  const heapMib = async (): Promise<number> => {
    const text = await (await fetch(`${doors.service.baseUrl}/metrics`)).text();
    return Number(/^nodejs_heap_size_used_bytes (\S+)$/m.exec(text)?.[1]) / 2 ** 20;
  };

  it('shrinks again when the service is idle after an import', async () => {
    await createVersion(doors.dgs, {
      name: 'imported',
      domainType: 'SERVICE_DATA_STORE',
      properties: { id: { type: 'integer' }, name: { type: 'string' }, city: { type: 'string' } },
      drKeyProperties: ['id'],
    });
    const before = await heapMib();
    for (let file = 0; file < maxFiles && (await heapMib()) < before + garbageMib; file += 1) {
      const body = Array.from({ length: rows }, (_, index) => {
        const id = file * rows + index;
        return { id, name: `name of ${id}`, city: `city ${id % 1000}` };
      });
      const { status } = await doors.dgs.rest('POST', '/drs/bulk?filters=name:imported', body);
      expect(status).toBe(200);
    }
    expect(await heapMib()).toBeGreaterThan(before + garbageMib);
    await eventually(async () => expect(await heapMib()).toBeLessThan(before + 24), {
      // V8 would collect by itself much later
      deadlineMs: 20_000,
      intervalMs: 2_500,
    });
  }, 180_000);
});
