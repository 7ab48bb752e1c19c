import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { createVersion } from '../../harness/catalogue.js';
import { setUpDoors } from '../set-up-doors.js';
import { uniqueName } from '../unique-name.js';

const mib = 2 ** 20;
const fileBytes = 448 * mib;
const rowBytes = 64 * 1024;
/** What the service may need more than before the import, at any time of it: measured are 250 to 290, for 192 MiB as for 448. */
const headroomMib = 384;

/** Mebibytes of a process: now (VmRSS), or at most since it started (VmHWM). */
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
const why = isLinux ? '' : ' (left out: memory can be read on Linux only)';

(isLinux ? describe : describe.skip)(`the bulk import of a large file${why}`, () => {
  const { doors } = setUpDoors({ FDS_BULK_MAX_BYTES: String(2 * fileBytes) });

  it('needs memory for a part of it only', async () => {
    // the catalogue keeps the keys, so that not the disk is tested
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
