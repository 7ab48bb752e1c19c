import ipaddr from 'ipaddr.js';

const globalUnicast = ipaddr.IPv6.parse('2000::');

/** Public addresses at which a cloud provider answers with the credentials of a machine. */
const metadataAddresses: ReadonlySet<string> = new Set(['168.63.129.16']);

/**
 * Does the address belong to the public internet? Private, loopback, link-local, shared, multicast and reserved addresses
 * do not, nor do IPv6 addresses that carry an IPv4 address, nor addresses of metadata services.
 *
 * @param address in the form that a resolver or a parsed URL gives, without brackets
 */
export const isPublicAddress = (address: string): boolean => {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast' || metadataAddresses.has(parsed.toString())) return false;
  // everything outside 2000::/3 is unassigned, special or an old way to write an IPv4 address
  return parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast, 3);
};
