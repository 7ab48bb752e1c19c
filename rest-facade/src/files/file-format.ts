import { AppError } from '@fds/errors';
import { requireUtf8 } from '../body/require-utf8.js';

/** Formats of files of records, as the API schema names them. */
export type FileFormat = 'JSON' | 'NDJSON' | 'CSV';

const mediaTypes: Readonly<Record<string, FileFormat>> = {
  'application/json': 'JSON',
  'application/x-ndjson': 'NDJSON',
  'application/ndjson': 'NDJSON',
  'application/jsonl': 'NDJSON',
  'text/csv': 'CSV',
};

const extensions: Readonly<Record<string, FileFormat>> = {
  json: 'JSON',
  ndjson: 'NDJSON',
  jsonl: 'NDJSON',
  csv: 'CSV',
};

/** Media types a file is sent as, with the format that each stands for. */
const fileMediaTypes = ['application/json', 'application/x-ndjson', 'text/csv'] as const;

/**
 * The format of a file by its media type or, if that does not determine it, by the extension of its name.
 *
 * @throws AppError UNSUPPORTED_MEDIA_TYPE
 */
export const fileFormatOf = (contentType: string | undefined, fileName?: string): FileFormat => {
  const mediaType = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const extension = /\.([a-z]+)$/i.exec(fileName ?? '')?.[1]?.toLowerCase() ?? '';
  const format = mediaTypes[mediaType] ?? extensions[extension];
  if (format === undefined) {
    const detail = `a file of records is ${fileMediaTypes.join(', ')}, or multipart/form-data with such a file`;
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', detail);
  }
  requireUtf8(contentType, 'a file of records');
  return format;
};
