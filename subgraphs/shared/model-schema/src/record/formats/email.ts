import { isIpv4, isIpv6 } from './ip-address.js';

const dotString = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;
const quoted = /^"(?:[ !#-[\]-~]|\\[ -~])*"$/;
/** Labels of at most 63 characters (RFC 5321, section 4.5.3.1). */
const domain = /^(?!-)[a-z0-9-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9-]{1,63}(?<!-))*$/i;

/** RFC 5321, section 4.5.3.1. */
const [maxLocalPart, maxDomain] = [64, 255];

const isDomain = (text: string): boolean => text.length <= maxDomain && domain.test(text);

const isAddressLiteral = (text: string): boolean =>
  /^ipv6:/i.test(text) ? isIpv6(text.slice('ipv6:'.length)) : isIpv4(text);

/** RFC 5321 `Mailbox`: a local part, plain or quoted, at a domain or an address in brackets. */
export const isEmail = (text: string): boolean => {
  const at = text.lastIndexOf('@');
  if (at < 1 || at > maxLocalPart) return false;
  const [local, host] = [text.slice(0, at), text.slice(at + 1)];
  if (!dotString.test(local) && !quoted.test(local)) return false;
  return host.startsWith('[') && host.endsWith(']') ? isAddressLiteral(host.slice(1, -1)) : isDomain(host);
};
