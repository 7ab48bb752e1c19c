import { isJsonObject, parseJson } from '@fds/json';
import type { OverriddenEvent } from '../events/event-outcome.js';
import type { Crossing } from './crossing.js';
import type { ContentHashes } from './content-hashes.js';
import { awaitsDeletion } from './known-content.js';
import type { Outbox } from './outbox.js';
import type { SentNote } from './sent-note.js';

interface Sent {
  readonly action: string;
  readonly sourceAdaptorUuid: string | null;
  readonly jsonData: string;
}

const readSent = (message: string | null): Sent | undefined =>
  message === null ? undefined : (parseJson(message) as unknown as Sent);

/** The changes of a message. Before a first one nothing was known: it describes itself. */
const changedBy = ({ before }: SentNote, sent: Sent | undefined): readonly string[] => {
  const names = Object.keys(before);
  if (names.length > 0 || sent?.action !== 'POST') return names;
  const data = parseJson(sent.jsonData);
  return isJsonObject(data) ? Object.keys(data) : [];
};

/** By property, the last event that changed it among those that the source had not seen; its own are left out. */
const lastChanges = (outbox: Outbox, { adaptorUuid, unseen }: Crossing): ReadonlyMap<string, string> => {
  const last = new Map<string, string>();
  for (const note of unseen) {
    const found = outbox.find(adaptorUuid, note.sequence);
    if (note.kind === 'DELETION') last.clear();
    for (const property of changedBy(note, readSent(found?.message ?? null))) {
      if (note.kind === 'CHANGE' && found !== undefined) last.set(property, found.eventUuid);
      else last.delete(property);
    }
  }
  return last;
};

/** Where the source was told to delete what it now brings back: the deletion, if it is of another one. */
const overriddenDeletion = (outbox: Outbox, { adaptorUuid, unseen }: Crossing): readonly OverriddenEvent[] => {
  const note = unseen.findLast(({ kind }) => kind === 'DELETION');
  const found = note === undefined ? undefined : outbox.find(adaptorUuid, note.sequence);
  const sent = readSent(found?.message ?? null);
  if (found === undefined || sent === undefined || sent.sourceAdaptorUuid === adaptorUuid) return [];
  return [{ eventUuid: found.eventUuid, properties: [] }];
};

/** The changes that a change overrides, as far as the crossed content is still there. @param news its new values */
export const overriddenByChange = (
  outbox: Outbox,
  crossing: Crossing,
  news: ContentHashes,
): readonly OverriddenEvent[] => {
  if (awaitsDeletion(crossing.known)) return overriddenDeletion(outbox, crossing);
  const replaced = new Map<string, string[]>();
  for (const [property, eventUuid] of lastChanges(outbox, crossing)) {
    if (!Object.hasOwn(news, property)) continue;
    const properties = replaced.get(eventUuid) ?? [];
    replaced.set(eventUuid, properties);
    properties.push(property);
  }
  return [...replaced].map(([eventUuid, properties]) => ({ eventUuid, properties: properties.toSorted() }));
};

/** The changes that a deletion overrides: those that its source had not seen. */
export const overriddenByDeletion = (outbox: Outbox, crossing: Crossing): readonly OverriddenEvent[] =>
  awaitsDeletion(crossing.known)
    ? []
    : [...new Set(lastChanges(outbox, crossing).values())].map((eventUuid) => ({ eventUuid, properties: [] }));
