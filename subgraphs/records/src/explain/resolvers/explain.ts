import type { Database } from '@fds/database';
import { AppError } from '@fds/errors';
import { guarded, JsonText, type RequestContext } from '@fds/graphql';
import { isJsonObject, parseJson, type JsonValue } from '@fds/json';
import type { CatalogView } from '../../catalog-view/open-catalog-view.js';
import type { DomainVersionView } from '../../domain/catalog.js';
import { readExplanation, timeOfUuid } from '../../domain/events/explanation.js';
import { readObject } from '../../reading/visibility/mask-data-event.js';
import { loadIssueMatches } from '../../store/issues/load-issue-matches.js';
import type { ListedIssue } from '../../store/issues/listed-issue.js';
import { explainDestinations, explainWaiting } from '../domain/explain-destinations.js';
import { explainSteps, operationalDenial, stepsOfIssue } from '../domain/explain-steps.js';
import { summaryOf, textOfDestination, textOfStep, type EventWords } from '../domain/explain-texts.js';
import type { ExplainedCandidate, ExplainedDestination, ExplainedStep } from '../domain/explained.js';
import { findPerson, type KnownPerson } from '../store/find-person.js';
import { findSubject, type ExplainedKind, type ExplainedSubject } from '../store/find-subject.js';
import type { KeptDelivery, KeptEvent } from '../domain/kept-event.js';
import { loadExplainedDeliveries, loadExplainedEvents } from '../store/load-explained-events.js';
import { loadExplainedIssues } from '../store/load-explained-issues.js';
import { ExplainSight, type ExplainedPlace } from './explain-sight.js';

export interface ExplainAccess {
  readonly database: Database;
  readonly view: () => CatalogView;
}

interface RelatedSubject {
  readonly kind: ExplainedKind;
  readonly id: string;
  readonly why: string;
}

interface ShownSource {
  readonly adaptorUuid: string | null;
  readonly userUuid: string | null;
  readonly name: string | null;
  readonly zoneUuid: string | null;
}

type ShownStep = ExplainedStep & { readonly text: string };
interface ShownDestination extends Omit<ExplainedDestination, 'adaptor'> {
  readonly adaptorUuid: string;
  readonly name: string;
  readonly zoneUuid: string;
  readonly hidden: boolean;
  readonly text: string;
}

interface ShownEvent {
  readonly uuid: string | null;
  readonly transactionUuid: string | null;
  readonly requestId: string | null;
  readonly action: string | null;
  readonly drUuid: string | null;
  readonly drKey: JsonText | null;
  readonly domain: string | null;
  readonly version: number | null;
  readonly source: ShownSource;
  readonly steps: readonly ShownStep[];
  readonly destinations: readonly ShownDestination[];
  readonly issues: readonly string[];
  readonly hidden: boolean;
  readonly summary: string;
  readonly at: number;
}

/** Events of one answer. */
const maxEvents = 100;
/** Events that are looked at, where some of them may be hidden. */
const maxLoaded = 1_000;

const notFound = (): AppError => new AppError('NOT_FOUND', 'nothing with this id is known');

/** Explains events to one caller. */
class Explaining {
  readonly #access: ExplainAccess;
  readonly #sight: ExplainSight;
  readonly #view: CatalogView;

  constructor(access: ExplainAccess, { principal }: RequestContext) {
    this.#access = access;
    this.#view = access.view();
    this.#sight = new ExplainSight(principal, this.#view);
  }

  get sight(): ExplainSight {
    return this.#sight;
  }

  async events(
    subject: ExplainedSubject,
  ): Promise<{ readonly shown: readonly ShownEvent[]; readonly hidden: boolean }> {
    const { reads } = this.#access.database;
    const events = await loadExplainedEvents(reads, subject, this.#sight.isRestricted ? maxLoaded : maxEvents);
    const explanations = new Map(
      events.flatMap(({ uuid, explanation }) =>
        explanation === null ? [] : [[uuid, readExplanation(explanation)] as const],
      ),
    );
    const issues = await loadExplainedIssues(reads, {
      uuids: [
        ...(subject.issueUuid === undefined ? [] : [subject.issueUuid]),
        ...[...explanations.values()].flatMap(({ issueUuid }) => issueUuid ?? []),
      ],
      recordUuids: subject.issueUuid === undefined ? [...new Set(events.map(({ recordUuid }) => recordUuid))] : [],
      transactionUuids: [
        ...new Set([
          ...(subject.transactionUuid === undefined ? [] : [subject.transactionUuid]),
          ...events.map(({ transactionUuid }) => transactionUuid),
        ]),
      ],
    });
    const deliveries = await loadExplainedDeliveries(
      reads,
      events.map(({ uuid }) => uuid),
    );
    const shown: ShownEvent[] = [];
    const told = new Set<string>();
    let hidden = false;
    for (const event of events) {
      if (shown.length === maxEvents) break;
      const explanation = explanations.get(event.uuid);
      const own = issues.filter(
        (issue) =>
          issue.eventUuid === event.uuid ||
          issue.uuid === explanation?.issueUuid ||
          transactionOf(issue) === event.transactionUuid,
      );
      for (const { uuid } of own) told.add(uuid);
      const one = await this.#event(event, explanation, { issues: own, deliveries: deliveries.get(event.uuid) ?? [] });
      if (one === undefined) hidden = true;
      else shown.push(one);
    }
    for (const issue of issues) {
      if (told.has(issue.uuid) || !isAskedFor(issue, subject)) continue;
      const one = await this.#issue(issue);
      if (one === undefined) hidden = true;
      else shown.push(one);
    }
    return { shown: shown.toSorted((a, b) => b.at - a.at), hidden };
  }

  #words(version: DomainVersionView | undefined, source: ShownSource): EventWords {
    return {
      version: version === undefined ? 'the domain version' : `${version.domainName} v${version.versionNumber}`,
      source: source.name ?? undefined,
    };
  }

  #algorithm(version: DomainVersionView | undefined): string {
    return version?.matching?.type ?? 'EXACT';
  }

  /** The source of an event, as far as the caller may know it. */
  async #source(
    adaptorUuid: string | null,
    writerUuid: string | undefined,
  ): Promise<{ readonly source: ShownSource; readonly hidden: boolean }> {
    const none = { adaptorUuid: null, userUuid: null, name: null, zoneUuid: null };
    if (adaptorUuid !== null) {
      const adaptor = await this.#view.findAdaptor(adaptorUuid);
      if (adaptor === undefined || !this.#sight.mayKnowAdaptor(adaptor)) return { source: none, hidden: true };
      return { source: { ...none, adaptorUuid, name: adaptor.name, zoneUuid: adaptor.zoneUuid }, hidden: false };
    }
    if (writerUuid === undefined) return { source: none, hidden: false };
    const person = await findPerson(this.#access.database.reads, writerUuid);
    if (person === undefined || !this.#mayKnow(person)) return { source: none, hidden: true };
    return { source: { ...none, userUuid: writerUuid, name: person.name }, hidden: false };
  }

  #mayKnow({ uuid, memberships }: KnownPerson): boolean {
    return (
      this.#sight.isSelf(uuid) ||
      memberships.some(({ zoneUuid, zoneUserUuid }) => this.#sight.mayGet(`/zones/${zoneUuid}/users/${zoneUserUuid}`))
    );
  }

  async #destinations(
    place: ExplainedPlace,
    sourceZoneUuid: string,
    destinations: readonly ExplainedDestination[],
    words: EventWords,
  ): Promise<{
    readonly shown: readonly ShownDestination[];
    readonly seen: readonly ExplainedDestination[];
    readonly hidden: boolean;
  }> {
    const shown: ShownDestination[] = [];
    const seen: ExplainedDestination[] = [];
    for (const each of destinations) {
      const destination = await this.#sight.destination(place, each, sourceZoneUuid);
      if (destination === undefined) continue;
      const { adaptor, ...members } = destination.part;
      seen.push(destination.part);
      shown.push({
        ...members,
        adaptorUuid: adaptor.uuid,
        name: adaptor.name,
        zoneUuid: adaptor.zoneUuid,
        hidden: destination.hidden,
        text: textOfDestination(destination.part, words),
      });
    }
    return { shown, seen, hidden: shown.length < destinations.length };
  }

  async #steps(
    versionUuid: string | null,
    steps: readonly ExplainedStep[],
    words: EventWords,
  ): Promise<{ readonly shown: readonly ShownStep[]; readonly hidden: boolean }> {
    const shown: ShownStep[] = [];
    let hidden = false;
    for (const each of steps) {
      const step = await this.#sight.step(versionUuid, each);
      hidden ||= step.hidden;
      shown.push({ ...step.part, text: textOfStep(step.part, words) });
    }
    return { shown, hidden };
  }

  /** Undefined: the caller may see no part of it. */
  async #event(
    event: KeptEvent,
    explanation: ReturnType<typeof readExplanation> | undefined,
    { issues, deliveries }: { readonly issues: readonly ListedIssue[]; readonly deliveries: readonly KeptDelivery[] },
  ): Promise<ShownEvent | undefined> {
    const { recordUuid: drUuid, domainVersionUuid, sourceAdaptorUuid } = event;
    const isSeen = await this.#sight.seesRecord({ drUuid, domainVersionUuid, sourceAdaptorUuid });
    const sight = isSeen ? 'SOURCE' : 'DESTINATION';
    const place = { drUuid, domainVersionUuid, sourceAdaptorUuid, sight } as const;
    const version = await this.#view.findVersionByUuid(domainVersionUuid);
    // the rules cannot be applied to a version that no longer exists
    if (version === undefined && this.#sight.isRestricted) return undefined;
    const { source, hidden: isSourceHidden } = await this.#source(sourceAdaptorUuid, explanation?.writerUuid);
    const words = this.#words(version, source);
    const { catalog } = this.#view;
    const sourceZoneUuid =
      (sourceAdaptorUuid === null ? undefined : catalog.adaptor(sourceAdaptorUuid)?.zoneUuid) ??
      version?.zoneUuid ??
      '';
    const all = explainDestinations(event, explanation, deliveries, { catalog, version });
    const destinations = await this.#destinations(place, sourceZoneUuid, all, words);
    if (!isSeen && destinations.shown.length === 0) return undefined;
    const first = issues.find(({ uuid }) => uuid === explanation?.issueUuid);
    const candidates = first === undefined ? [] : await this.#candidates(first);
    const algorithm = this.#algorithm(version);
    const steps = await this.#steps(
      domainVersionUuid,
      explainSteps(event, isSeen ? explanation : explanation && { ...explanation, candidates: [] }, {
        algorithm,
        first: first && { issue: first, candidates },
      }),
      words,
    );
    const key = await this.#sight.key(place, event.drKey);
    const visibleIssues = issues.filter((issue) => this.#mayReadIssue(issue));
    return {
      uuid: event.uuid,
      transactionUuid: event.transactionUuid,
      requestId: event.requestId,
      action: event.action,
      drUuid,
      drKey: key.part === null ? null : new JsonText(key.part),
      domain: version?.domainName ?? null,
      version: version?.versionNumber ?? null,
      source,
      steps: steps.shown,
      destinations: destinations.shown,
      issues: visibleIssues.map(({ uuid }) => uuid),
      hidden:
        isSourceHidden || destinations.hidden || steps.hidden || key.hidden || visibleIssues.length < issues.length,
      summary: summaryOf(event.action, destinations.seen, words),
      at: timeOfUuid(event.uuid),
    };
  }

  #mayReadIssue({ uuid, zoneUuid }: ListedIssue): boolean {
    return this.#sight.mayGet(`/zones/${zoneUuid}/issues/${uuid}`);
  }

  async #candidates({ uuid }: ListedIssue): Promise<readonly ExplainedCandidate[]> {
    const matches = await loadIssueMatches(this.#access.database.reads, uuid);
    return matches.map(({ recordUuid, adaptorUuid, score, comparisons }) => {
      const compared: JsonValue = parseJson(comparisons);
      return { drUuid: recordUuid, adaptorUuid, score, comparisons: Array.isArray(compared) ? compared : [] };
    });
  }

  /** The event of an issue that waits, or was dropped. Undefined: the caller may not see the issue. */
  async #issue(issue: ListedIssue): Promise<ShownEvent | undefined> {
    if (!this.#mayReadIssue(issue)) return undefined;
    const { recordUuid, domainVersionUuid, adaptorUuid } = issue;
    const version = domainVersionUuid === null ? undefined : await this.#view.findVersionByUuid(domainVersionUuid);
    const place =
      recordUuid === null || domainVersionUuid === null
        ? undefined
        : ({ drUuid: recordUuid, domainVersionUuid, sourceAdaptorUuid: adaptorUuid, sight: 'SOURCE' } as const);
    if (place !== undefined && !(await this.#sight.seesRecord(place))) return undefined;
    const data = issue.dataEvent === null ? undefined : readObject(issue.dataEvent);
    const { source, hidden: isSourceHidden } = await this.#source(adaptorUuid, undefined);
    const words = this.#words(version, source);
    const action =
      data?.['action'] === 'DELETE' ? 'DELETE' : data === undefined ? null : recordUuid === null ? 'POST' : 'PUT';
    const denial = operationalDenial(issue.errors);
    const isEvent = issue.exception !== 'ADAPTOR';
    const all =
      version === undefined || !isEvent
        ? []
        : explainWaiting(adaptorUuid, version, this.#view.catalog, {
            isDenied: denial !== undefined,
            aclUuid: denial?.aclUuid ?? null,
          });
    const unknown = {
      drUuid: recordUuid ?? '',
      domainVersionUuid: domainVersionUuid ?? '',
      sourceAdaptorUuid: adaptorUuid,
      sight: 'SOURCE',
    } as const;
    const destinations = await this.#destinations(place ?? unknown, issue.zoneUuid, all, words);
    const candidates = await this.#candidates(issue);
    const steps = await this.#steps(
      domainVersionUuid,
      isEvent ? stepsOfIssue({ issue, candidates }, this.#algorithm(version)) : [],
      words,
    );
    return {
      uuid: null,
      transactionUuid: transactionOf(issue) ?? null,
      requestId: null,
      action,
      drUuid: recordUuid,
      drKey: null,
      domain: version?.domainName ?? null,
      version: version?.versionNumber ?? null,
      source,
      steps: steps.shown,
      destinations: destinations.shown,
      issues: [issue.uuid],
      hidden: isSourceHidden || destinations.hidden || steps.hidden,
      summary: issue.title,
      at: timeOfUuid(issue.uuid),
    };
  }
}

const transactionOf = ({ dataEvent }: ListedIssue): string | undefined => {
  const data = dataEvent === null ? undefined : readObject(dataEvent);
  const uuid = data?.['transactionUuid'];
  return isJsonObject(data) && typeof uuid === 'string' ? uuid.toLowerCase() : undefined;
};

/** Is the issue the subject, or one of its transaction or record that never became an event? */
const isAskedFor = (issue: ListedIssue, { issueUuid, transactionUuid, recordUuid }: ExplainedSubject): boolean =>
  issue.uuid === issueUuid ||
  (transactionUuid !== undefined && transactionOf(issue) === transactionUuid) ||
  (recordUuid !== undefined &&
    issue.status === 'OPEN' &&
    issue.exception !== 'ADAPTOR' &&
    issue.recordUuid === recordUuid);

const relatedOf = (
  { kind, recordUuid }: ExplainedSubject,
  id: string,
  events: readonly ShownEvent[],
): readonly RelatedSubject[] => {
  const related: RelatedSubject[] = [];
  const add = (other: ExplainedKind, of: string | null | undefined, why: string): void => {
    if (of === null || of === undefined || of === id || related.some((each) => each.id === of)) return;
    related.push({ kind: other, id: of, why });
  };
  if (kind !== 'RECORD') add('RECORD', recordUuid, 'the record that it is about');
  for (const event of events) {
    if (kind !== 'RECORD') add('RECORD', event.drUuid, 'the record of the event');
    if (kind !== 'EVENT' && kind !== 'RECORD') add('EVENT', event.uuid, 'an event of it');
    if (kind !== 'TRANSACTION' && kind !== 'RECORD')
      add('TRANSACTION', event.transactionUuid, 'the transaction of the event');
    if (kind !== 'REQUEST' && kind !== 'RECORD') add('REQUEST', event.requestId, 'the request that made the event');
    for (const issue of event.issues) add('ISSUE', issue, 'an issue about the event');
  }
  return related;
};

const kindWords: Readonly<Record<ExplainedKind, string>> = {
  RECORD: 'The record',
  EVENT: 'The event',
  TRANSACTION: 'The transaction',
  ISSUE: 'The issue',
  MESSAGE: 'The message',
  RECONCILIATION: 'The reconciliation',
  REQUEST: 'The request',
};

const summaryOfAnswer = (kind: ExplainedKind, events: readonly ShownEvent[]): string => {
  const [newest] = events;
  if (newest === undefined) return `${kindWords[kind]} has no events.`;
  if (events.length === 1) return newest.summary;
  return `${kindWords[kind]} has ${events.length} events. The newest: ${newest.summary}`;
};

/** Explains the subject of an id (docs/reference/explain.md). @throws AppError NOT_FOUND also where the caller may see no part of it */
const explain = async (access: ExplainAccess, id: string, context: RequestContext) => {
  const subject = await findSubject(access.database.reads, id);
  if (subject === undefined) throw notFound();
  await access.view().catchUp();
  const explaining = new Explaining(access, context);
  const { shown, hidden } = await explaining.events(subject);
  const { path, ownerUuid } = subject;
  const isOwn = ownerUuid !== undefined && explaining.sight.isSelf(ownerUuid);
  if (ownerUuid !== undefined && !isOwn) throw notFound();
  const isReadable = path !== undefined && explaining.sight.mayGet(path);
  if (shown.length === 0 && !isReadable) throw notFound();
  const events = shown.slice(0, maxEvents);
  return {
    id,
    kind: subject.kind,
    summary: summaryOfAnswer(subject.kind, events),
    events,
    related: relatedOf(subject, id, events),
    hidden,
  };
};

/** `explain(id)`. */
export const createExplainResolvers = (access: ExplainAccess) => ({
  Query: {
    explain: guarded<{ readonly id: string }>(
      { mode: 'require', action: 'GET', resource: '/explain/{id}' },
      ({ id }, context) => explain(access, id, context),
    ),
  },
});
