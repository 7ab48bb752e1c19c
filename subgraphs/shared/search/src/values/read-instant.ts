const dateTime = /^(\d{4})-(\d\d)-(\d\d)(?:[Tt\s](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?))?$/;

/** Days since 1970-01-01 in the Gregorian calendar, for years 0 to 9999. */
const daysFromCivil = (year: number, month: number, day: number): number => {
  const shifted = year + 400 - (month <= 2 ? 1 : 0);
  const era = Math.floor(shifted / 400);
  const ofEra = shifted - era * 400;
  const ofYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = ofEra * 365 + Math.floor(ofEra / 4) - Math.floor(ofEra / 100) + ofYear;
  return era * 146_097 + dayOfEra - 719_468 - 146_097;
};

/**
 * RFC 3339 date-time, or a date for its midnight in UTC, as decimal seconds since 1970-01-01T00:00:00Z: exact to the last
 * digit of the fraction. The SQL function `search_instant` does the same to stored values.
 *
 * @returns undefined when it is neither
 */
export const readInstant = (text: string): string | undefined => {
  const found = dateTime.exec(text);
  if (found === null) return undefined;
  const part = (index: number): number => Number(found[index] ?? 0);
  const [month, day, hour, minute, second] = [part(2), part(3), part(4), part(5), part(6)];
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60) return undefined;
  const offset = (part(9) * 60 + part(10)) * 60 * (found[8] === '-' ? -1 : 1);
  const seconds = daysFromCivil(part(1), month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset;
  const fraction = (found[7] ?? '').replace(/0+$/, '');
  if (fraction === '') return String(seconds);
  // a fraction counts forward, also before 1970
  const scale = 10n ** BigInt(fraction.length);
  const scaled = BigInt(seconds) * scale + BigInt(fraction);
  const digits = (scaled < 0n ? -scaled : scaled).toString().padStart(fraction.length + 1, '0');
  const point = digits.length - fraction.length;
  return `${scaled < 0n ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`;
};
