import { SetupFailure } from './setup-failure.js';

const actions = ['POST', 'PUT', 'DELETE', 'GET'] as const;
type Action = (typeof actions)[number];

/** A domain version and the actions of the adaptor. */
export interface CapabilityOption {
  readonly domainName: string;
  readonly versionNumber: number;
  readonly actions: readonly Action[];
}

const isAction = (word: string): word is Action => (actions as readonly string[]).includes(word);

/**
 * Reads `customer:1` (all actions) or `customer:1=PUT,GET`.
 *
 * @throws SetupFailure
 */
export const parseCapability = (text: string): CapabilityOption => {
  const [, domainName, number, list] = /^(.+):(\d{1,9})(?:=([A-Za-z, ]*))?$/.exec(text.trim()) ?? [];
  if (domainName === undefined || number === undefined)
    throw new SetupFailure(`"${text}" is not a capability; write for example customer:1=POST,PUT,DELETE,GET`);
  const words = list === undefined ? actions : list.split(',').map((word) => word.trim().toUpperCase());
  const unknown = words.filter((word) => !isAction(word));
  if (unknown.length > 0)
    throw new SetupFailure(`"${text}": ${unknown.join(', ')} is not one of ${actions.join(', ')}`);
  return { domainName, versionNumber: Number(number), actions: [...new Set(words.filter(isAction))] };
};
