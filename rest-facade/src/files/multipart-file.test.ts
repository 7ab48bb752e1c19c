import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { AppError } from '@fds/errors';
import { takeIncomingFile } from './incoming-file.js';
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

describe('a file in another encoding than UTF-8', () => {
  const text = '[{"id":"é"}]';
  const inForm = (partHeaders: string) => async () => {
    const body = new PassThrough();
    body.end(
      `--x\r\nContent-Disposition: form-data; name="file"; filename="a.json"\r\n${partHeaders}\r\n${text}\r\n--x--\r\n`,
    );
    return takeIncomingFile(headers, body, async ({ format, chunks }) => {
      for await (const _ of chunks);
      return format;
    });
  };
  const asBody = (contentType: string) => async () => {
    const body = new PassThrough();
    body.end(text);
    return takeIncomingFile({ 'content-type': contentType }, body, async ({ format }) => format);
  };

  it.each(['ISO-8859-1', 'iso-8859-1', '"windows-1252"', "'latin1'", 'utf-16', 'UTF-16LE', 'x-unknown'])(
    'is refused as a part and as a body: %s',
    async (charset) => {
      for (const type of ['application/json', 'text/csv; header=present']) {
        const contentType = `${type}; charset=${charset}`;
        const refusal = { code: 'UNSUPPORTED_MEDIA_TYPE' };
        await expect(inForm(`Content-Type: ${contentType}\r\n`)()).rejects.toMatchObject(refusal);
        await expect(asBody(contentType)()).rejects.toMatchObject(refusal);
      }
    },
  );

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json; charset=us-ascii',
  ])('is not one of type %s', async (contentType) => {
    expect(await inForm(`Content-Type: ${contentType}\r\n`)()).toBe('JSON');
    expect(await asBody(contentType)()).toBe('JSON');
  });

  it('may be a part that says so by its transfer encoding, which is refused as well', async () => {
    for (const encoding of ['base64', 'quoted-printable']) {
      await expect(inForm(`Content-Transfer-Encoding: ${encoding}\r\n`)()).rejects.toMatchObject({
        code: 'UNSUPPORTED_MEDIA_TYPE',
      });
    }
    expect(await inForm('Content-Transfer-Encoding: 8bit\r\n')()).toBe('JSON');
  });
});

it('stops reading a form with too many parts', async () => {
  const part = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n';
  let read = 0;
  const body = Readable.from(
    (function* () {
      for (; read < 10_000; read += 1) yield Buffer.from(part.repeat(100));
    })(),
  );
  const taking = takeMultipartFile(headers, body, async () => undefined);
  await expect(taking).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  expect(read).toBeLessThan(1_000);
});
