/**
 * Format of one element: the number of its type in PostgreSQL's catalog, its size in bytes, and a function that writes
 * its bytes.
 */
interface Element<T> {
  readonly type: number;
  sizeOf(value: T): number;
  write(buffer: Buffer, value: T, at: number): void;
}

const headerBytes = 20;
const lengthBytes = 4;

const encode = <T>({ type, sizeOf, write }: Element<T>, values: readonly (T | null)[]): Buffer => {
  const sizes = values.map((value) => (value === null ? -1 : sizeOf(value)));
  const total = sizes.reduce((sum, size) => sum + lengthBytes + Math.max(size, 0), headerBytes);
  const buffer = Buffer.allocUnsafe(total);
  // number of dimensions, whether there are nulls, element type; then length and lower bound of the one dimension
  buffer.writeInt32BE(1, 0);
  buffer.writeInt32BE(sizes.includes(-1) ? 1 : 0, 4);
  buffer.writeInt32BE(type, 8);
  buffer.writeInt32BE(values.length, 12);
  buffer.writeInt32BE(1, 16);
  let at = headerBytes;
  // many columns repeat the same value, so its bytes are reused
  let previous: T | null = null;
  let previousAt = 0;
  values.forEach((value, index) => {
    const size = sizes[index] ?? -1;
    at = buffer.writeInt32BE(size, at);
    if (value === null) return;
    if (value === previous) buffer.copyWithin(at, previousAt, previousAt + size);
    else write(buffer, value, at);
    previous = value;
    previousAt = at;
    at += size;
  });
  return buffer;
};

const uuidBytes = 16;
const dash = '-'.charCodeAt(0);
/** The value of a hexadecimal digit by its character code, or 0xff. */
const digitOf = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(value) ? 0xff : value;
});

/** Writes the digits of a uuid, without a text of them. @returns their number; NaN: there is something else, or too much */
const writeUuid = (buffer: Buffer, value: string, at: number): number => {
  let digits = 0;
  for (let place = 0; place < value.length; place += 1) {
    const code = value.charCodeAt(place);
    if (code === dash) continue;
    const digit = digitOf[code] ?? 0xff;
    if (digit === 0xff || digits === 2 * uuidBytes) return Number.NaN;
    const byteAt = at + (digits >> 1);
    buffer[byteAt] = digits % 2 === 0 ? digit << 4 : (buffer[byteAt] ?? 0) | digit;
    digits += 1;
  }
  return digits;
};

const text: Element<string> = {
  type: 25,
  sizeOf: (value) => Buffer.byteLength(value),
  write: (buffer, value, at) => void buffer.write(value, at),
};
const uuid: Element<string> = {
  type: 2950,
  sizeOf: () => uuidBytes,
  write: (buffer, value, at) => {
    if (writeUuid(buffer, value, at) !== 2 * uuidBytes) throw new RangeError(`not a uuid: ${value}`);
  },
};
const int8: Element<number | bigint> = {
  type: 20,
  sizeOf: () => 8,
  write: (buffer, value, at) => void buffer.writeBigInt64BE(BigInt(value), at),
};
const float8: Element<number> = {
  type: 701,
  sizeOf: () => 8,
  write: (buffer, value, at) => void buffer.writeDoubleBE(value, at),
};
const bytea: Element<string> = {
  type: 17,
  sizeOf: (hex) => hex.length / 2,
  write: (buffer, hex, at) => {
    if (buffer.write(hex, at, 'hex') * 2 !== hex.length) throw new RangeError('not hexadecimal');
  },
};

/**
 * Encodes arrays in PostgreSQL's binary format, as parameters of a statement. In this format neither side escapes or
 * parses text; the text format doubles every quote and backslash. The parameter in the statement must have the same
 * type.
 *
 * @throws RangeError when a value does not have the type
 */
export const binaryArray = {
  /** `text[]` */
  text: (values: readonly (string | null)[]): Buffer => encode(text, values),
  /** `uuid[]` */
  uuid: (values: readonly (string | null)[]): Buffer => encode(uuid, values),
  /** `bigint[]`; numbers must be integers. */
  int8: (values: readonly (number | bigint | null)[]): Buffer => encode(int8, values),
  /** `double precision[]` */
  float8: (values: readonly (number | null)[]): Buffer => encode(float8, values),
  /** `bytea[]`, from hexadecimal text. */
  bytea: (hexadecimals: readonly (string | null)[]): Buffer => encode(bytea, hexadecimals),
};
