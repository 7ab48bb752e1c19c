import type { ErrorCause } from '@fds/errors';

/** A header that a registration adds to each request. */
export interface WebhookHeader {
  readonly name: string;
  readonly value: string;
}

const maxHeaders = 50;
const maxHeaderBytes = 8192;

/** Headers that belong to the connection or to the message, so a registration cannot set them. */
const reserved: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const isReserved = (name: string): boolean => reserved.has(name) || name.startsWith('webhook-');

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const nameFault = (name: unknown): string | undefined => {
  if (typeof name !== 'string' || name === '') return 'must be the name of a header';
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name)) return `"${name.slice(0, 100)}" is not the name of a header`;
  return isReserved(name.toLowerCase()) ? `"${name}" is set by the service` : undefined;
};

const valueFault = (value: unknown): string | undefined => {
  if (typeof value !== 'string') return 'must be a text';
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value) ? undefined : 'contains a character that a header cannot carry';
};

const bytesOf = (value: unknown): number => (typeof value === 'string' ? value.length : 0);

/**
 * Every reason against a list of headers, with its place. Values are not repeated: they may be secrets.
 *
 * @param pointer of the list in the body
 * @param hasToken whether the authorization header carries an OAuth token
 */
export const headerFaults = (list: unknown, pointer: string, hasToken: boolean): ErrorCause[] => {
  const fault = (place: string, detail: string): ErrorCause => ({ pointer: place, code: 'INVALID_VALUE', detail });
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) return [fault(pointer, 'must be a list of {name, value}')];
  if (list.length > maxHeaders) return [fault(pointer, `has ${list.length} headers; ${maxHeaders} are possible`)];
  const names = new Set<string>();
  const faults = list.flatMap((entry: unknown, index) => {
    const place = `${pointer}/${index}`;
    if (!isRecord(entry)) return [fault(place, 'must be {name, value}')];
    const ofName = nameFault(entry['name']);
    const ofValue = valueFault(entry['value']);
    const name = String(entry['name']).toLowerCase();
    const isRepeated = names.has(name);
    names.add(name);
    return [
      ...(ofName === undefined ? [] : [fault(`${place}/name`, ofName)]),
      ...(ofName === undefined && isRepeated ? [fault(`${place}/name`, `"${name}" is in the list twice`)] : []),
      ...(ofName === undefined && hasToken && name === 'authorization'
        ? [fault(`${place}/name`, '"authorization" carries the token of oauth2Registration')]
        : []),
      ...(ofValue === undefined ? [] : [fault(`${place}/value`, ofValue)]),
    ];
  });
  const bytes = list.reduce<number>(
    (sum, entry: unknown) => sum + (isRecord(entry) ? bytesOf(entry['name']) + bytesOf(entry['value']) : 0),
    0,
  );
  return bytes > maxHeaderBytes ? [...faults, fault(pointer, `has more than ${maxHeaderBytes} characters`)] : faults;
};
