/** Types that drivers return and accept: text, numbers, bigint for 64-bit integers, bytes. */
export type ColumnValue = string | number | bigint | boolean | Uint8Array | ArrayBuffer | null;

/** Column values to write, or to find a row by. */
export type ColumnValues = Readonly<Record<string, ColumnValue>>;

/** The bytes of a binary value, in any form that a driver returns; undefined for any other value. */
export const bytesOf = (value: ColumnValue): Buffer | undefined => {
  if (value instanceof Uint8Array) return Buffer.from(value);
  // the buffer of the driver may come from another realm, so `instanceof` does not work
  if (Object.prototype.toString.call(value) === '[object ArrayBuffer]') return Buffer.from(value as ArrayBuffer);
  return typeof value === 'string' && /^\\x([0-9a-f]{2})*$/i.test(value)
    ? Buffer.from(value.slice(2), 'hex')
    : undefined;
};

/** A value as text. Different values of a column have different texts. Bytes become base64, other objects JSON. */
export const columnText = (value: ColumnValue): string =>
  typeof value === 'object' && value !== null
    ? (bytesOf(value)?.toString('base64') ?? JSON.stringify(value))
    : String(value ?? '');
