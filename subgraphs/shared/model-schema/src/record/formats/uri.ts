import { isIpv6 } from './ip-address.js';

// every expression below has one way to match a text: time is linear in its length
const parts = /^[a-z][a-z0-9+.-]*:(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/is;
const userInfo = /^(?:[\w.~!$&'()*+,;=:-]|%[0-9a-f]{2})*$/i;
const registeredName = /^(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})*$/i;
const futureAddress = /^v[0-9a-f]+\.[\w.~!$&'()*+,;=:-]+$/i;
const path = /^(?:[\w.~!$&'()*+,;=:@/-]|%[0-9a-f]{2})*$/i;
const query = /^(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9a-f]{2})*$/i;
const literalHost = /^\[([^\]]*)\](?::\d*)?$/;
const namedHost = /^([^:]*)(?::\d*)?$/;

const isHost = (text: string): boolean => {
  const literal = literalHost.exec(text)?.[1];
  if (literal !== undefined) return isIpv6(literal) || futureAddress.test(literal);
  const name = namedHost.exec(text)?.[1];
  return name !== undefined && registeredName.test(name);
};

const isAuthority = (text: string): boolean => {
  const at = text.lastIndexOf('@');
  return (at < 0 || userInfo.test(text.slice(0, at))) && isHost(text.slice(at + 1));
};

/** RFC 3986 `URI`: with its scheme; no relative reference. */
export const isUri = (text: string): boolean => {
  const match = parts.exec(text);
  if (match === null) return false;
  const [, authority, hierarchy = '', search = '', fragment = ''] = match;
  return (
    (authority === undefined || isAuthority(authority)) &&
    path.test(hierarchy) &&
    query.test(search) &&
    query.test(fragment)
  );
};
