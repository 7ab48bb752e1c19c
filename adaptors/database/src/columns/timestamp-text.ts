const parts = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?\s*(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/**
 * Parses RFC 3339 or a database's own format to microseconds since the epoch. A text without a zone is UTC. Undefined
 * when the text is not a timestamp.
 */
export const parseTimestamp = (text: string): bigint | undefined => {
  const [, date, time, fraction = '', zone = 'Z'] = parts.exec(text) ?? [];
  if (date === undefined || time === undefined) return undefined;
  const offset =
    zone.toUpperCase() === 'Z'
      ? 'Z'
      : zone.length === 3
        ? `${zone}:00`
        : zone.includes(':')
          ? zone
          : `${zone.slice(0, 3)}:${zone.slice(3)}`;
  const milliseconds = Date.parse(`${date}T${time}${offset}`);
  if (Number.isNaN(milliseconds)) return undefined;
  return BigInt(milliseconds) * 1000n + BigInt(fraction.padEnd(6, '0').slice(0, 6));
};

/**
 * Date and time of a moment, with only the necessary digits of the fraction, at most six: `2026-01-01`, `00:00:00.5`.
 */
const dateAndTime = (microseconds: bigint): readonly [string, string] => {
  const fraction = ((microseconds % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const seconds = Number((microseconds - fraction) / 1_000_000n);
  const text = new Date(seconds * 1000).toISOString();
  const digits = fraction.toString().padStart(6, '0').replace(/0+$/, '');
  return [text.slice(0, 10), `${text.slice(11, 19)}${digits === '' ? '' : `.${digits}`}`];
};

/** `2026-01-01T00:00:00.123456Z` */
export const formatDateTime = (microseconds: bigint): string => `${dateAndTime(microseconds).join('T')}Z`;

/**
 * `2026-01-01 00:00:00.123456`, in the format of SQLite's own functions. It sorts before every longer spelling of the
 * same moment.
 */
export const formatSqliteTimestamp = (microseconds: bigint): string => dateAndTime(microseconds).join(' ');
