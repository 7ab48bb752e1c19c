import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { AppError } from '@fds/errors';
import { takeMultipartFile } from './multipart-file.js';

const headers = { 'content-type': 'multipart/form-data; boundary=x' };
const opening = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.json"\r\n\r\n';

describe('a multipart form that ends too early', () => {
  it('is refused while the file is still being read', async () => {
    const body = new PassThrough();
    const taking = takeMultipartFile(headers, body, async ({ chunks }) => {
      for await (const _ of chunks) body.end();
    });
    body.write(`${opening}[{}`);
    await expect(taking).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  });

  it('is refused after the reader of the file has stopped', async () => {
    const body = new PassThrough();
    const refused = new PassThrough();
    const taking = takeMultipartFile(headers, body, async ({ chunks }) => {
      for await (const _ of chunks) break;
      refused.end();
      throw new AppError('MALFORMED_JSON', 'position 0');
    });
    const outcome = expect(taking).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    body.write(`${opening}[{}`);
    refused.resume();
    await once(refused, 'end');
    // the end of the body arrives after the reader of the file has stopped
    body.end();
    await outcome;
  });
});
