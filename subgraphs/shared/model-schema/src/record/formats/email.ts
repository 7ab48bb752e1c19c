import { isIpv4, isIpv6 } from './ip-address.js';

const atom = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+$/i;
const quoted = /^"(?:[ !#-[\]-~]|\\[ -~])*"$/;
const label = /^[a-z0-9-]+$/i;

/** RFC 5321, section 4.5.3.1. */
const [maxLocalPart, maxDomain, maxLabel] = [64, 255, 63];

const isDomain = (text: string): boolean =>
  text.length <= maxDomain &&
  text
    .split('.')
    .every((part) => part.length <= maxLabel && label.test(part) && !part.startsWith('-') && !part.endsWith('-'));

const isAddressLiteral = (text: string): boolean =>
  /^ipv6:/i.test(text) ? isIpv6(text.slice('ipv6:'.length)) : isIpv4(text);

/** RFC 5321 `Mailbox`: a local part, plain or quoted, at a domain or an address in brackets. */
export const isEmail = (text: string): boolean => {
  const at = text.lastIndexOf('@');
  if (at < 1 || at > maxLocalPart) return false;
  const [local, host] = [text.slice(0, at), text.slice(at + 1)];
  if (!quoted.test(local) && !local.split('.').every((part) => atom.test(part))) return false;
  return host.startsWith('[') && host.endsWith(']') ? isAddressLiteral(host.slice(1, -1)) : isDomain(host);
};
