const parts = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?\s*(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/**
 * A moment in microseconds since the epoch, from RFC 3339 or a database's own spelling; without a zone it is UTC.
 * Undefined when the text is not a timestamp.
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

/** Date and time of a moment with the fraction it needs, at most six digits: `2026-01-01`, `00:00:00.5`. */
const dateAndTime = (microseconds: bigint): readonly [string, string] => {
  const fraction = ((microseconds % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const seconds = Number((microseconds - fraction) / 1_000_000n);
  const text = new Date(seconds * 1000).toISOString();
  const digits = fraction.toString().padStart(6, '0').replace(/0+$/, '');
  return [text.slice(0, 10), `${text.slice(11, 19)}${digits === '' ? '' : `.${digits}`}`];
};

/** `2026-01-01T00:00:00.123456Z` */
export const formatDateTime = (microseconds: bigint): string => `${dateAndTime(microseconds).join('T')}Z`;

/** `2026-01-01 00:00:00.123456`, as SQLite's own functions write it. Sorts before every longer spelling of the moment. */
export const formatSqliteTimestamp = (microseconds: bigint): string => dateAndTime(microseconds).join(' ');
