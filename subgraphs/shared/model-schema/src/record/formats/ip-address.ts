const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const ipv4 = new RegExp(`^${octet}(?:\\.${octet}){3}$`);
const group = /^[0-9a-f]{1,4}$/i;

/** As long as an IPv6 address can be, with an IPv4 address at its end. */
const maxIpv6Length = 45;

/** RFC 2673, section 3.2: four decimal octets without leading zeros. */
export const isIpv4 = (text: string): boolean => ipv4.test(text);

/** The 16-bit groups that this part of an address has; undefined when it is none. */
const countGroups = (part: string, mayEndInIpv4: boolean): number | undefined => {
  if (part === '') return 0;
  const groups = part.split(':');
  const last = groups.at(-1) ?? '';
  const endsInIpv4 = mayEndInIpv4 && isIpv4(last);
  const plain = endsInIpv4 ? groups.slice(0, -1) : groups;
  return plain.every((one) => group.test(one)) ? plain.length + (endsInIpv4 ? 2 : 0) : undefined;
};

/** RFC 4291, section 2.2: eight groups, `::` once for groups of zeros, IPv4 at the end; no zone. */
export const isIpv6 = (text: string): boolean => {
  if (text.length > maxIpv6Length) return false;
  const [head = '', tail, ...more] = text.split('::');
  if (more.length > 0) return false;
  if (tail === undefined) return countGroups(head, true) === 8;
  const [before, after] = [countGroups(head, false), countGroups(tail, true)];
  return before !== undefined && after !== undefined && before + after < 8;
};
