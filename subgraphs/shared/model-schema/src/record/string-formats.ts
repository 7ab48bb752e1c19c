import { fullFormats } from 'ajv-formats/dist/formats.js';

/** Formats a string may declare (server.md, Model schema). */
export const formatNames: ReadonlySet<string> = new Set([
  'date',
  'time',
  'date-time',
  'email',
  'uri',
  'uuid',
  'hostname',
  'ipv4',
  'ipv6',
  'regex',
]);

/** Incoming data is validated against all formats except these. */
const unchecked: ReadonlySet<string> = new Set(['hostname', 'regex']);

type FormatName = keyof typeof fullFormats;

/** The test of a format as RFC 3339, 3986, 4122 and JSON Schema have it; undefined when data is not held against it. */
export const formatTest = (name: string): ((text: string) => boolean) | undefined => {
  if (!formatNames.has(name) || unchecked.has(name)) return undefined;
  const format = fullFormats[name as FormatName];
  if (format instanceof RegExp) return (text) => format.test(text);
  if (typeof format === 'function') return format;
  if (typeof format === 'object' && typeof format.validate === 'function') {
    const validate = format.validate as (text: string) => boolean;
    return (text) => validate(text);
  }
  throw new TypeError(`no test for the format ${name}`);
};
