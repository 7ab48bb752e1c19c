import { gzipSync } from 'node:zlib';
import { validRecord, type FuzzStage } from '../open-fuzz-stage.js';
import { ask, fill, type HostilePiece } from './hostile-piece.js';

const fileBytes = 9_900_000;
const row = JSON.stringify({ ...validRecord, id: 'imported' });

const lines = (bytes: number, write: (n: number) => string): string => fill(bytes, write).replaceAll(',', '\n');
const rows = (count: number, write: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => write(n)).join('\n');

const wrongRow = `{"id":1,"count":"x","list":[${fill(4_000, () => '{"text":1}')}]}`;
const header = 'id,count,share,open,inner.text';

type File = readonly [input: string, type: string, write: () => string | Uint8Array];

const files: readonly File[] = [
  ['rows of one key', 'application/x-ndjson', () => rows(20_000, () => row)],
  ['rows of different keys', 'application/x-ndjson', () => rows(5_000, (n) => row.replace('imported', `i${n}`))],
  ['empty rows', 'application/x-ndjson', () => lines(60_000, () => '{}')],
  ['rows that are not objects', 'application/x-ndjson', () => lines(60_000, () => '1')],
  ['rows with many wrong values', 'application/x-ndjson', () => rows(2_400, () => wrongRow)],
  ['one row', 'application/x-ndjson', () => `{"id":"${'x'.repeat(fileBytes)}"}`],
  ['rows with unknown members', 'application/x-ndjson', () => rows(40, () => `{${fill(240_000, (n) => `"m${n}":1`)}}`)],
  [
    'rows with long numbers',
    'application/x-ndjson',
    () => rows(40, () => `{"count":[${fill(240_000, () => '12345678901234567')}]}`),
  ],
  ['rows with one long number', 'application/x-ndjson', () => rows(40, () => `{"count":${'9'.repeat(240_000)}}`)],
  ['elements that are not objects', 'application/json', () => `[${fill(fileBytes, () => '1')}]`],
  ['empty elements', 'application/json', () => `[${fill(60_000, () => '{}')}]`],
  ['one element', 'application/json', () => `[{"list":[${fill(fileBytes, () => '{}')}]}]`],
  ['elements that nest', 'application/json', () => `[${'['.repeat(fileBytes)}`],
  ['empty lines', 'text/csv', () => `${header}\n${'\n'.repeat(fileBytes)}`],
  ['empty cells', 'text/csv', () => `${header}\n${','.repeat(fileBytes)}`],
  ['a giant cell in quotes', 'text/csv', () => `${header}\n"${'x'.repeat(fileBytes)}"\n`],
  ['a giant cell of quotes', 'text/csv', () => `${header}\n"${'""'.repeat(fileBytes / 2)}"\n`],
  ['many cells in quotes', 'text/csv', () => `${header}\n${rows(40_000, () => '"a","1","0","t",""')}`],
  ['a giant header', 'text/csv', () => `${'a,'.repeat(fileBytes / 2)}\n`],
  ['a giant title', 'text/csv', () => `"${'a'.repeat(fileBytes)}"\n`],
  ['rows with other types', 'text/csv', () => `${header}\n${rows(40_000, () => 'a,x,y,z,w')}`],
  [
    'a form with many parts',
    'multipart/form-data; boundary=x',
    () => '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'.repeat(150_000),
  ],
  [
    'a form with a long header',
    'multipart/form-data; boundary=x',
    () => `--x\r\nContent-Disposition: form-data; name="${'a'.repeat(fileBytes)}"`,
  ],
  ['a form of boundaries', 'multipart/form-data; boundary=x', () => '--x\r\n'.repeat(fileBytes / 5)],
  [
    'a form of half boundaries',
    'multipart/form-data; boundary=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    () =>
      `--${'x'.repeat(52)}\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n${`\r\n--${'x'.repeat(51)}`.repeat(fileBytes / 60)}`,
  ],
];

const bulk = ({ doors: { service } }: FuzzStage): string =>
  `${service.baseUrl}/api/drs/bulk?filters=name:store,version:1`;

/** Files of the bulk import, and bodies with a content encoding. */
export const filePieces: readonly HostilePiece[] = [
  ...files.map(([input, type, write]): HostilePiece => ({
    door: `POST /drs/bulk ${type.split(';', 1)[0]}`,
    input,
    send: async (stage) => {
      await ask({
        url: bulk(stage),
        type,
        body: write(),
        headers: { authorization: `Bearer ${stage.doors.dgs.token ?? ''}` },
      });
    },
  })),
  ...[
    [
      'a body that is small when packed',
      () => gzipSync(`{"name":"store","json":{"id":"${'x'.repeat(900_000)}"}}`),
    ] as const,
    ['a body that is too large unpacked', () => gzipSync(Buffer.alloc(900_000_000))] as const,
  ].map(([input, write]): HostilePiece => ({
    door: 'POST /drs gzip',
    input,
    send: async ({ doors: { service, dgs } }) => {
      await ask({
        url: `${service.baseUrl}/api/drs`,
        body: write(),
        headers: { authorization: `Bearer ${dgs.token ?? ''}`, 'content-encoding': 'gzip' },
      });
    },
  })),
];
