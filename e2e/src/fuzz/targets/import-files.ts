import fc from 'fast-check';
import type { FuzzTarget } from '../fuzz-target.js';
import { validRecord, type FuzzStage } from '../open-fuzz-stage.js';
import { askHttp } from '../values/ask-http.js';
import { mutated, slightlyBent } from '../values/hostile-values.js';

const row = JSON.stringify(validRecord);

const files = fc.oneof(
  mutated(`id,count,share,open,inner.text\na,1,0.5,true,x\n"b ""c""",2,,false,""\n`).map(
    (text) => ['text/csv', text] as const,
  ),
  mutated(`${row}\n${row}\n`).map((text) => ['application/x-ndjson', text] as const),
  mutated(`[${row},${row}]`).map((text) => ['application/json', text] as const),
  fc
    .array(slightlyBent(validRecord), { maxLength: 3 })
    .map((rows) => ['application/json', JSON.stringify(rows)] as const),
  mutated(`--x\r\nContent-Disposition: form-data; name="file"; filename="a.json"\r\n\r\n[${row}]\r\n--x--\r\n`).map(
    (text) => ['multipart/form-data; boundary=x', text] as const,
  ),
);

const options = fc.constantFrom('', '&options=mode:create', '&options=atomic:true', '&options=atomic:maybe');

/** Files for the bulk import; most are incomplete or have a wrong cell. */
export const importFiles = ({ doors: { service, dgs } }: FuzzStage): FuzzTarget => ({
  name: 'imports',
  cases: fc.tuple(files, options, fc.constantFrom('store', 'federated')).map(([[type, text], more, name]) =>
    askHttp({
      url: `${service.baseUrl}/api/drs/bulk?filters=name:${name},version:1${more}`,
      sent: {
        method: 'POST',
        text,
        headers: { 'content-type': type },
        ...(dgs.token === undefined ? {} : { token: dgs.token }),
      },
    }),
  ),
});
