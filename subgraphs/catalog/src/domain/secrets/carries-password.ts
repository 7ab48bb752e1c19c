import type { JsonValue } from '@fds/json';

const address = /^[a-z][a-z0-9+.-]*:/i;

/** `user:password@host` after the first `//` */
const hasPasswordOfUser = (text: string): boolean => {
  const start = text.indexOf('//');
  if (start < 0) return false;
  const [authority = ''] = text.slice(start + 2).split(/[/?#]/, 1);
  const user = authority.slice(0, Math.max(0, authority.lastIndexOf('@')));
  const colon = user.indexOf(':');
  return colon >= 0 && colon + 1 < user.length;
};

/** Matches a word whose letters may be percent-encoded: drivers decode the name of a parameter, so `pass%77ord` is `password`. */
const encodable = (word: string): string =>
  Array.from(word, (letter) => {
    const codes = [letter, letter.toUpperCase()].map((each) => each.charCodeAt(0).toString(16));
    return `(?:${letter}|%(?:${codes.join('|')}))`;
  }).join('');

const passwordName = new RegExp(`${encodable('password')}|${encodable('pwd')}`, 'i');

/** `?password=...` of most drivers, `;password=...` of SQL Server, and other names with `password` or `pwd` */
const hasPasswordParameter = (text: string): boolean =>
  text
    .split(/[?&;,]/)
    .slice(1)
    .some((parameter) => {
      const equals = parameter.indexOf('=');
      return equals >= 0 && equals + 1 < parameter.length && passwordName.test(parameter.slice(0, equals));
    });

/** `jdbc:oracle:thin:user/password@...` */
const hasPasswordOfOracle = (text: string): boolean => {
  const [, login = ''] = /^jdbc:oracle:[a-z0-9]+:([^@]*)@/i.exec(text) ?? [];
  const slash = login.indexOf('/');
  return slash >= 0 && slash + 1 < login.length;
};

/** Is the value an address, such as a JDBC URL, that contains a password? The time is linear in its length. */
export const carriesPassword = (value: JsonValue): boolean =>
  typeof value === 'string' &&
  address.test(value) &&
  (hasPasswordOfUser(value) || hasPasswordParameter(value) || hasPasswordOfOracle(value));
