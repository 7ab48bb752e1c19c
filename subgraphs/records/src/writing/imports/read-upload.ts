import type { Queryable } from '@fds/database';
import type { CatalogView } from '../../catalog-view/open-catalog-view.js';
import type { DomainVersionView } from '../../domain/catalog.js';
import { loadUploadPart, type StoredUpload } from './store/uploads.js';
import { createCsvSplitter } from './csv/csv-splitter.js';
import type { KeyTypeOf } from './csv/read-cell.js';
import type { BrokenFileOptions } from './rows/broken-file.js';
import type { ImportedRow } from './rows/imported-row.js';
import { createJsonArraySplitter } from './rows/json-array-splitter.js';
import { createNdjsonSplitter } from './rows/ndjson-splitter.js';
import { splitRows, type RowSplitter } from './rows/row-splitter.js';
import { utf8Parts } from './rows/utf8-parts.js';

/** `JSON`: an array. `NDJSON`: an object a line. `CSV`: a header, nested properties by dots. */
export type ImportFormat = 'JSON' | 'NDJSON' | 'CSV';

export interface UploadReading {
  readonly client: Queryable;
  readonly view: Pick<CatalogView, 'catalog'>;
  /** A larger row is refused. */
  readonly maxRowBytes: number;
}

/** The part after the one that is given is read already. */
const readParts = async function* (client: Queryable, { uuid, parts }: StoredUpload): AsyncGenerator<Buffer, void> {
  let next = parts === 0 ? undefined : loadUploadPart(client, uuid, 0);
  for (let number = 1; next !== undefined; number += 1) {
    const part = await next;
    next = number < parts ? loadUploadPart(client, uuid, number) : undefined;
    // awaited in the next round, if there is one
    next?.catch(() => undefined);
    yield part;
  }
};

const keyTypes =
  ({ catalog }: UploadReading['view']): KeyTypeOf =>
  ({ domain, version }) => {
    const target = catalog.version(domain, version)?.model;
    if (target?.drKeyProperties.length !== 1) return undefined;
    const property = target.properties.find(({ name }) => name === target.drKeyProperties[0]);
    return property === undefined || !('format' in property || 'drKey' in property) ? undefined : property.type;
  };

/**
 * The rows of an upload, in bounded memory. @throws BrokenFile where it cannot be read any further, after the rows before
 */
export const readUpload = (
  { client, view, maxRowBytes }: UploadReading,
  upload: StoredUpload,
  { format, version }: { readonly format: ImportFormat; readonly version: DomainVersionView },
): AsyncIterable<readonly ImportedRow[]> => {
  const splitters: Readonly<Record<ImportFormat, () => RowSplitter>> = {
    JSON: () => createJsonArraySplitter(maxRowBytes),
    NDJSON: () => createNdjsonSplitter(maxRowBytes),
    CSV: () => createCsvSplitter({ model: version.model, keyTypeOf: keyTypes(view), maxRowBytes }),
  };
  const code: BrokenFileOptions['code'] = format === 'CSV' ? 'MALFORMED_CSV' : 'MALFORMED_JSON';
  return splitRows(utf8Parts(readParts(client, upload), code), splitters[format]());
};
