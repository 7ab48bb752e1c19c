const dateForm = /^(\d{4})-(\d\d)-(\d\d)$/;
const timeForm = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|([+-])(\d\d):(\d\d))$/i;

const daysOf = (year: number, month: number): number => {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
};

/** RFC 3339 `full-date`: a day of the calendar. */
export const isDate = (text: string): boolean => {
  const match = dateForm.exec(text);
  if (match === null) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  return month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month);
};

/** RFC 3339 `full-time`: with its zone; a leap second only in the last minute of a UTC day. */
export const isTime = (text: string): boolean => {
  const match = timeForm.exec(text);
  if (match === null) return false;
  const [hour, minute, second] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const [zoneHour, zoneMinute] = [Number(match[5] ?? 0), Number(match[6] ?? 0)];
  if (hour > 23 || minute > 59 || second > 60 || zoneHour > 23 || zoneMinute > 59) return false;
  if (second < 60) return true;
  const offset = (zoneHour * 60 + zoneMinute) * (match[4] === '-' ? -1 : 1);
  const dayMinutes = 24 * 60;
  return (hour * 60 + minute - offset + dayMinutes) % dayMinutes === dayMinutes - 1;
};

const dateLength = 'yyyy-mm-dd'.length;

/** RFC 3339 `date-time`: date and time with `T` between them. */
export const isDateTime = (text: string): boolean =>
  (text[dateLength] === 'T' || text[dateLength] === 't') &&
  isDate(text.slice(0, dateLength)) &&
  isTime(text.slice(dateLength + 1));
