import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { createVersion } from '../../harness/catalogue.js';
import { setUpDoors } from '../set-up-doors.js';
import { uniqueName } from '../unique-name.js';

const mib = 2 ** 20;
const fileBytes = 448 * mib;
const rowBytes = 64 * 1024;
/**
 * Maximum additional memory of the service at any time of the import. Measured: 250 to 290, for 192 MiB and for 448
 * MiB.
 */
const headroomMib = 384;

/** Memory of a process in MiB: current (VmRSS), or maximum since its start (VmHWM). */
const memoryMib = (pid: number, kind: 'VmRSS' | 'VmHWM'): number => {
  const found = new RegExp(`${kind}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(found?.[1]) / 1024;
};

const rows = fileBytes / rowBytes;

const file = async function* (): AsyncGenerator<Buffer> {
  const filler = 'x'.repeat(rowBytes - 40);
  yield Buffer.from('[');
  for (let id = 1; id <= rows; id += 1) {
    yield Buffer.from(`${id === 1 ? '' : ','}{"id":${id},"name":"${filler}"}`);
  }
  yield Buffer.from(']');
};

const isLinux = process.platform === 'linux';
const why = isLinux ? '' : ' (skipped: memory can be read on Linux only)';

(isLinux ? describe : describe.skip)(`the bulk import of a large file${why}`, () => {
  const { doors } = setUpDoors({ FDS_BULK_MAX_BYTES: String(2 * fileBytes) });

  it('only needs memory for a part of the file', async () => {
    // the catalogue stores only the keys, so that the test does not depend on the disk
    const { domainName } = await createVersion(doors.dgs, {
      name: uniqueName('large'),
      domainType: 'FEDERATED',
      properties: { id: { type: 'integer' }, name: { type: 'string' } },
      drKeyProperties: ['id'],
    });
    const { pid } = doors.service.process();
    const before = memoryMib(pid, 'VmRSS');
    const { status, body } = await doors.dgs.call(`/api/drs/bulk?filters=name:${domainName}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      text: Readable.from(file()) as AsyncIterable<Buffer>,
    });
    expect([status, body]).toMatchObject([200, { total: rows, created: rows, failed: 0 }]);
    expect(memoryMib(pid, 'VmHWM') - before).toBeLessThan(headroomMib);
  }, 300_000);
});
