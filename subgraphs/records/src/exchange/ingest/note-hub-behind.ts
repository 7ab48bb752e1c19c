import type { Hello } from '@fds/adaptor-protocol';
import type { SqlClient } from '@fds/database';
import type { ErrorCause } from '@fds/errors';
import { isJsonObject, parseJson } from '@fds/json';
import { findAdaptorZone } from '../../catalog-view/store/find-adaptor-zone.js';
import type { Channel } from '../../domain/meet-adaptor.js';
import { loadMessages } from '../../store/channels/delivery.js';
import { saveIssues } from '../../store/events/save-events.js';
import { logIssues, newIssue } from '../../store/issues/log-issues.js';
import { mayNameOther, missingMessages, type MissingMessages } from '../../domain/missing-messages.js';
import { describeGap, loadRemembered, lockGap, saveGap, type HubGap } from '../../store/channels/hub-gap.js';

export interface HubBehindOptions {
  /** When this process began, by the clock of the database. */
  readonly openedAt: Date;
  readonly newUuid: () => string;
}

const description =
  'The database was probably restored from a backup. The adaptor sends again what its journal still has, and the issue ' +
  'closes when nothing is missing. Messages that are too old, or came from changes over the API, stay missing: reconcile ' +
  'the adaptor, and settle the issue.';

const messages = (count: number): string => (count === 1 ? '1 message' : `${count} messages`);

const errorsOf = ({ up, down }: MissingMessages): readonly ErrorCause[] => [
  {
    pointer: '',
    code: 'HUB_BEHIND',
    detail: `up: ${messages(up)} of the adaptor missing, links included; down: ${messages(down)} to the adaptor missing`,
  },
];

/** Does the outbox have another message under the number that the adaptor applied last? */
const holdsOther = async (client: SqlClient, channel: Channel, hello: Hello): Promise<boolean> => {
  if (!mayNameOther(channel, hello)) return false;
  const sequence = channel.downBase + hello.applied;
  const range = { from: sequence, to: sequence, maxCharacters: 1 };
  const [found] = await loadMessages(client, channel.adaptorUuid, range);
  const data = found === undefined || found.message === null ? undefined : parseJson(found.message);
  if (data === undefined || !isJsonObject(data)) return false;
  const { transactionUuid, drUuid } = hello.appliedMessage ?? {};
  return data['transactionUuid'] !== transactionUuid || data['drUuid'] !== drUuid;
};

const withGap = (before: HubGap | undefined, { up, down }: MissingMessages): MissingMessages => ({
  up: Math.max(before?.up ?? 0, up),
  // messages that result from those of others may have been counted before
  down: before?.issueUuid ? Math.max(before.down, down) : (before?.down ?? 0) + down,
});

/**
 * Opens an issue HUB_BEHIND, or brings the open one up to date, if the adaptor knows messages that the database does not. Its
 * channel is locked.
 *
 * @returns whether the adaptor has messages that the outbox does not have: a new sequence must begin
 */
export const noteHubBehind = async (
  client: SqlClient,
  channel: Channel,
  hello: Hello,
  { openedAt, newUuid }: HubBehindOptions,
): Promise<boolean> => {
  const { adaptorUuid } = channel;
  const isOther = await holdsOther(client, channel, hello);
  const least = missingMessages(channel, hello, { remembered: channel.downSequence, isOther });
  if (least.up === 0 && least.down === 0) return false;
  const remembered = await loadRemembered(client, adaptorUuid, openedAt);
  const missing = missingMessages(channel, hello, { remembered, isOther });
  const before = await lockGap(client, adaptorUuid);
  const next = withGap(before, missing);
  const zoneUuid = await findAdaptorZone(client, adaptorUuid);
  if (zoneUuid === undefined) return least.down > 0;
  const issueUuid = before?.issueUuid ?? newUuid();
  const isKnown = before?.issueUuid === issueUuid;
  if (isKnown && before.up === next.up && before.down === next.down) return least.down > 0;
  await saveGap(client, adaptorUuid, { ...next, issueUuid });
  const errors = errorsOf(isKnown ? next : missing);
  const issue = {
    uuid: issueUuid,
    title: 'The hub does not remember messages that the adaptor has',
    exception: 'OTHER',
    matchStatus: null,
    zoneUuid,
    adaptorUuid,
    domainVersionUuid: null,
    recordUuid: null,
    keyDigest: null,
    cause: 'HUB_BEHIND',
    dataEvent: null,
    errors,
  } as const;
  if (!isKnown) await saveIssues(client, [issue]);
  await describeGap(client, issueUuid, { errors, description });
  await logIssues(client, [isKnown ? { uuid: issueUuid, action: 'PUT' } : newIssue(issue)]);
  return least.down > 0;
};
