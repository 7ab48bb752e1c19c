import type { AppliedAcl } from '@fds/governance-rules';
import type { DomainVersionView } from '../catalog.js';
import type { ChangedContent, Permitted } from './ask-governance.js';
import { awaitsDeletion, type KnownContent } from './known-content.js';

/**
 * The entry that keeps news of an event from a destination to which nothing else in the event is news
 * (docs/reference/delivery.md#echo).
 *
 * @param known content that the destination is known to hold
 * @returns undefined where governance is not the reason
 */
export const keptBackBy = (
  { version }: { readonly version: DomainVersionView },
  { content, changed }: ChangedContent,
  { consulted: [asked] }: Permitted,
  known: KnownContent | undefined,
): AppliedAcl | undefined => {
  if (asked === undefined) return undefined;
  const { removedProperties, applied } = asked.decision;
  const hashes = awaitsDeletion(known) ? undefined : known?.hashes;
  // every event carries the key of a federated record: the key alone is not news
  const mayBeNews = (name: string): boolean => changed?.has(name) ?? !version.model.drKeyProperties.includes(name);
  const news = removedProperties.filter((name) => mayBeNews(name) && hashes?.[name] !== content[name]);
  return applied.find(({ result, properties }) => result === 'DENY' && properties.some((name) => news.includes(name)));
};
