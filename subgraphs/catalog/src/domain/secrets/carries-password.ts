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

/** Drivers decode the name of a parameter: `pass%77ord` is `password`. */
const decodeName = (name: string): string =>
  name.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));

/** `?password=...` of most drivers, `;password=...` of SQL Server, and other names with `password` or `pwd` */
const hasPasswordParameter = (text: string): boolean =>
  text
    .split(/[?&;,]/)
    .slice(1)
    .some((parameter) => {
      const equals = parameter.indexOf('=');
      return (
        equals >= 0 && equals + 1 < parameter.length && /password|pwd/i.test(decodeName(parameter.slice(0, equals)))
      );
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
