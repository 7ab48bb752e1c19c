import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.js';

/** Decides which targets may be connected to. */
export interface TargetRule {
  readonly allowsAddress: (address: string) => boolean;
  /** Are `localhost` and names below it targets? */
  readonly allowsLocalNames: boolean;
}

export const publicTargets: TargetRule = { allowsAddress: isPublicAddress, allowsLocalNames: false };

export const everyTarget: TargetRule = { allowsAddress: () => true, allowsLocalNames: true };

/** Ends a message that refuses a private target. */
export const howToAllow = 'FDS_WEBHOOK_ALLOW_PRIVATE=true permits private targets';

const maxUrlLength = 2048;

/** The host of a URL as an address or name: without the brackets of IPv6 and the final dot of a name. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

const isLocalName = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost');

/**
 * The reason why a URL cannot be a target, found without a look-up: its form, and an address written in it. The URL parser has one
 * spelling for each address, so `0x7f.1` and `2130706433` are read as `127.0.0.1`.
 *
 * @returns undefined when nothing speaks against it
 */
export const targetFault = (text: string, rule: TargetRule = publicTargets): string | undefined => {
  if (text.length > maxUrlLength) return `is longer than ${maxUrlLength} characters`;
  if (!URL.canParse(text)) return 'is not an absolute URL';
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return `has the scheme "${url.protocol.slice(0, -1)}"; http and https are possible`;
  }
  if (url.username !== '' || url.password !== '') {
    return 'contains a user name or password; use httpHeaders or oauth2Registration';
  }
  const host = hostOf(url);
  if (host === '') return 'names no host';
  if (isLocalName(host) && !rule.allowsLocalNames) return `names "${host}", which is a private target; ${howToAllow}`;
  if (isIP(host) !== 0 && !rule.allowsAddress(host))
    return `names ${host}, which is not a public address; ${howToAllow}`;
  return undefined;
};
