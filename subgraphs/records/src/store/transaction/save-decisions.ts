import { logChanges, type SqlSession } from '@fds/database';
import { saveDecisionCounts } from '@fds/owned-tables';
import { countResent, type ResentMessages } from '../channels/hub-gap.js';
import type { EventOutcome, RaisedIssue } from '../../domain/events/event-outcome.js';
import { raiseOversizedMessage } from '../../domain/events/raise-oversized-message.js';
import { unblockedBy, type UnblockedEvents } from '../../domain/issues/unblocked-by.js';
import type { DeletionBrake } from '../../domain/issues/deletion-brake.js';
import type { Channel } from '../../domain/meet-adaptor.js';
import type { RecordBook } from '../../domain/records/record-book.js';
import type { ReferenceBook } from '../../domain/references/reference-book.js';
import { countDecisions } from '../../domain/routing/count-decisions.js';
import type { Outbox } from '../../domain/routing/outbox.js';
import { advanceChannels } from '../channels/channel.js';
import { saveDeliveries, saveEchoes, saveEvents, saveIssues, saveLateDeletions } from '../events/save-events.js';
import { forgetAwaitedKeys, saveAwaitedKeys } from '../issues/awaited-keys.js';
import { logIssues, newIssue, type LoggedIssue } from '../issues/log-issues.js';
import { saveRefusals } from '../issues/refusal-notices.js';
import { noteRepeatedReports } from '../issues/repaired-issues.js';
import { saveMatches, savePresumptions } from '../issues/save-matches.js';
import {
  closeIssues,
  closeSuperseded,
  removeContinued,
  renameIssues,
  type ClosedIssue,
  type RenamedIssue,
  type SupersededIssue,
} from '../issues/settle-issues.js';
import { closeCancelled, saveDeletionWindows, saveMassDeletions } from '../issues/mass-deletions.js';
import { saveMatchTokens } from '../matching/match-tokens.js';
import { onlyAdds, saveAddedRecords } from '../records/save-added-records.js';
import { saveRecords } from '../records/save-records.js';
import { toLoggedChange } from '../records/to-logged-change.js';
import { saveReferences } from '../references/references.js';
import type { RecordSession } from './record-session.js';

/** The changes that decisions made to the issues of events that had waited. */
interface SettledIssues {
  readonly closed: readonly ClosedIssue[];
  /** Events that only waited behind an issue and continued. */
  readonly continued: readonly string[];
  readonly superseded: readonly SupersededIssue[];
  readonly renamed: readonly RenamedIssue[];
  /** Issues that stay, with their present candidates. */
  readonly matched: readonly Pick<RaisedIssue, 'uuid' | 'matches'>[];
  /** Issues MASS_DELETION with fewer deletions than before. Default: none. */
  readonly lightened?: ReadonlySet<string>;
}

/** Decisions on records, and the books that they changed. */
export interface RecordDecisions {
  readonly outcomes: readonly EventOutcome[];
  readonly book: RecordBook;
  /** Undefined: no reference changes. */
  readonly references?: ReferenceBook | undefined;
  readonly outbox: Outbox;
  /** The locked channels. */
  readonly channels: ReadonlyMap<string, Channel>;
  /** The last number that was taken from each source. Default: none was taken. */
  readonly applied?: ReadonlyMap<string, number>;
  /** Default: no event had waited. */
  readonly settled?: SettledIssues;
  /** The messages that were sent again after the database was restored. Default: none. */
  readonly resent?: ResentMessages;
  /** Notices of issues for their adaptors. Default: none. */
  readonly notices?: Parameters<typeof saveRefusals>[1];
  /** The deletion limits that were used up. Default: none. */
  readonly brake?: Pick<DeletionBrake, 'windows' | 'raised'>;
  readonly newUuid: () => string;
}

/** The effects of decisions, as far as they are known before the database has answered. */
export interface SavedDecisions {
  /** Every locked channel as it is now. */
  readonly channels: readonly Channel[];
  /** New issues, and issues whose events wait for another reason now. */
  readonly waiting: readonly RaisedIssue[];
  /** Events that may continue because of the changes to records. Settles with the statements. Wrapped, as it may be pending. */
  readonly unblocked: { readonly answer: Promise<readonly UnblockedEvents[]> };
}

/** The result of a decision that changes nothing. */
export const nothingSaved = (channels: readonly Channel[]): SavedDecisions => ({
  channels,
  waiting: [],
  unblocked: { answer: Promise.resolve([]) },
});

const nothingSettled: SettledIssues = { closed: [], continued: [], superseded: [], renamed: [], matched: [] };

const issuesOf = ({ issue, presumption }: EventOutcome): RaisedIssue[] => [
  ...(issue === undefined ? [] : [issue]),
  ...(presumption === undefined ? [] : [presumption]),
];

/** The changes of issues, for the change log. An event that only waits behind an issue is not an issue. */
const loggedIssues = (raised: readonly RaisedIssue[], settled: SettledIssues): LoggedIssue[] => [
  ...raised.filter(({ cause }) => cause !== 'HELD').map(newIssue),
  ...settled.closed.map(({ uuid, recordUuid, by }) => ({
    uuid,
    recordUuid,
    action: by?.action ?? 'PUT',
    actorUuid: by?.actorUuid,
  })),
  ...settled.superseded.map(({ uuid }) => ({ uuid, action: 'PUT' as const })),
  ...[...(settled.lightened ?? [])].map((uuid) => ({ uuid, action: 'PUT' as const, isClosed: true })),
  ...settled.renamed.map((issue) =>
    issue.wasWaiting
      ? newIssue(issue)
      : { uuid: issue.uuid, action: issue.by?.action ?? 'PUT', actorUuid: issue.by?.actorUuid },
  ),
];

const channelsAfter = ({ channels, outbox, applied }: RecordDecisions): Channel[] =>
  [...channels.values()].map((channel) => ({
    ...channel,
    downSequence: outbox.last(channel.adaptorUuid) ?? channel.downSequence,
    upApplied: applied?.get(channel.adaptorUuid) ?? channel.upApplied,
  }));

/** The statements for records, their references, and the tokens by which they are found. */
const recordSteps = (sql: SqlSession, { book, references, outcomes }: RecordDecisions) => {
  const changes = book.changes();
  const logged = outcomes.flatMap(({ change }) => change ?? []);
  const addsOnly = onlyAdds(changes, logged);
  return {
    saveRecords: () => (addsOnly ? saveAddedRecords(sql, changes.inserted, logged) : saveRecords(sql, changes)),
    saveTokens: () => saveMatchTokens(sql, book.tokenChanges()),
    forgotten: async () =>
      references === undefined ? 0 : saveReferences(sql, references.changes(), (uuid) => book.isStored(uuid)),
    logRecords: async () => (addsOnly ? undefined : logChanges(sql, logged.map(toLoggedChange))),
  };
};

/** The statements for messages to adaptors and for the positions of their channels. */
const channelSteps = (
  sql: SqlSession,
  { outcomes, outbox, applied, resent }: RecordDecisions,
  channels: readonly Channel[],
  events = outcomes.flatMap(({ event }) => event ?? []),
) => ({
  saveEvents: () => saveEvents(sql, outcomes),
  saveEchoes: () => saveEchoes(sql, outcomes),
  saveLateDeletions: () => saveLateDeletions(sql, events),
  saveDeliveries: () =>
    saveDeliveries(
      sql,
      outcomes.flatMap(({ deliveries }) => deliveries),
    ),
  countResent: async () => (resent === undefined ? undefined : countResent(sql, resent)),
  countDecisions: () => saveDecisionCounts(sql, countDecisions(outcomes)),
  advanceChannels: () =>
    advanceChannels(
      sql,
      channels.filter(({ adaptorUuid }) => outbox.last(adaptorUuid) !== undefined || applied?.has(adaptorUuid)),
    ),
});

/** The statements for issues. Each needs the ones before it. */
const issueSteps = (
  sql: SqlSession,
  { outcomes, settled = nothingSettled, notices = [], brake }: RecordDecisions,
  raised: readonly RaisedIssue[],
) => ({
  saveIssues: () => saveIssues(sql, raised),
  saveRefusals: () => saveRefusals(sql, notices),
  saveMassDeletions: () => saveMassDeletions(sql, brake?.raised ?? []),
  saveDeletionWindows: () => saveDeletionWindows(sql, brake?.windows ?? []),
  savePresumptions: () =>
    savePresumptions(
      sql,
      outcomes.flatMap(({ presumption }) => presumption ?? []),
    ),
  saveMatches: () => saveMatches(sql, [...raised, ...settled.matched]),
  closeIssues: () => closeIssues(sql, settled.closed),
  renameIssues: () => renameIssues(sql, settled.renamed),
  removeContinued: () => removeContinued(sql, settled.continued),
  closeCancelled: () => closeCancelled(sql, [...(settled.lightened ?? [])]),
  closeSuperseded: () => closeSuperseded(sql, settled.superseded),
  forgetAwaitedKeys: () =>
    forgetAwaitedKeys(
      sql,
      [...settled.closed, ...settled.renamed].map(({ uuid }) => uuid),
    ),
  noteRepeatedReports: () =>
    noteRepeatedReports(
      sql,
      outcomes.flatMap(({ repeated }) => repeated ?? []),
    ),
  saveAwaitedKeys: () => saveAwaitedKeys(sql, [...raised, ...settled.renamed]),
  // the issues have their final state
  logIssues: () => logIssues(sql, loggedIssues(raised, settled)),
});

/**
 * Writes decisions: the changes of the books, and everything that follows from the outcomes. At most one statement for each
 * kind of change. On a pipelined connection it returns when the statements are sent, so that the commit follows them at once.
 *
 * @throws unique violation (SQLSTATE 23505) when another transaction took a key in the meantime: repeat the decision
 */
export const saveDecisions = async (session: RecordSession, decisions: RecordDecisions): Promise<SavedDecisions> => {
  const { sql } = session;
  const { outcomes, book, outbox, settled = nothingSettled, newUuid } = decisions;
  outbox.requireAll(outcomes.flatMap(({ deliveries }) => deliveries));
  const channels = channelsAfter(decisions);
  const undelivered = outbox.leftOut.map((message) => raiseOversizedMessage(newUuid(), message));
  const raised = [...(decisions.brake?.raised ?? []), ...outcomes.flatMap(issuesOf), ...undelivered];
  const { answers } = await session.send({
    ...recordSteps(sql, decisions),
    ...channelSteps(sql, decisions, channels),
    ...issueSteps(sql, decisions, raised),
  });
  const answer = answers.then(({ forgotten }) => unblockedBy(book, forgotten));
  answer.catch(() => undefined);
  return { channels, waiting: [...raised, ...settled.renamed], unblocked: { answer } };
};
