import type { Assembler, AssemblyRequest, AssemblyResponse } from '@fds/assembly-contract';
import type { Principal } from '@fds/auth';
import type { VersionAccess } from '@fds/data-access';
import type { Database, Queryable } from '@fds/database';
import { AppError, type ErrorCause } from '@fds/errors';
import { conditionProperties } from '@fds/search-query';
import type { Log } from '@fds/service';
import type { AnswerBudget, RequestShare } from '../bounds/answer-budget.js';
import type { AdaptorQuestions } from '../bus/adaptor-questions.js';
import { chooseSources } from '../domain/choose-sources.js';
import { effectiveRequest, type EffectiveRequest } from '../domain/effective-request.js';
import { schemaEntries } from '../domain/schema-entries.js';
import { mayAskOf, propertiesToAsk, restrictionOf } from '../domain/restriction.js';
import { searchCondition } from '../domain/search-condition.js';
import { searchedProperties } from '../domain/searched-properties.js';
import { sortTerms } from '../domain/sort-terms.js';
import { permitSources } from '../store/governance-store.js';
import {
  domainVersionsOf,
  holdingsOf,
  selectRecords,
  type RecordHolding,
  type RecordPage,
} from '../store/record-store.js';
import { capableSources } from '../store/source-store.js';
import type { AssembledVersion, VersionStore } from '../store/version-store.js';
import { assembledRecords } from './assembled-records.js';
import { enquiriesOf } from './enquiries.js';
import { gatherAnswers, type Enquiry, type Gathered } from './gather-answers.js';
import { storedRecords } from './stored-records.js';

export interface AssemblerDependencies {
  readonly database: Database;
  readonly versions: VersionStore;
  readonly questions: AdaptorQuestions;
  readonly budget: AnswerBudget;
  readonly log: Log;
  readonly newUuid: () => string;
}

/** Visibility, memory and life of a request. */
interface FederatedSurroundings {
  readonly restriction: VersionAccess | undefined;
  readonly share: RequestShare;
  readonly signal: AbortSignal;
}

/** The caller, and the session for the caller's searches. */
interface Asking {
  readonly principal: Principal;
  readonly searches: Queryable;
}

type Completeness = AssemblyResponse['completeness'][number];

const toCompleteness = ({ source, outcome, milliseconds }: Gathered): Completeness => ({
  adaptorUuid: source.adaptorUuid,
  tier: source.tier,
  outcome: outcome === 'PENDING' ? 'LATE' : outcome,
  milliseconds,
});

/** Denied adaptors are counted, not named (decisions, section 11). */
const deniedCompleteness: Completeness = { adaptorUuid: null, tier: null, outcome: 'DENIED', milliseconds: 0 };

const neverAborted = new AbortController().signal;

/** The assembly engine: which records, whom to ask, wait by the policy, merge. */
export const createAssembler = (dependencies: AssemblerDependencies): Assembler => {
  const { database, versions, questions, budget, log, newUuid } = dependencies;
  /** Of records that are hidden nothing is told, not even that they are of another version. */
  const versionsToTell = async (drUuids: readonly string[], { principal, searches }: Asking): Promise<string[]> => {
    const uuids = await domainVersionsOf(database, drUuids);
    if (principal.dataAccess === undefined) return uuids;
    const told: string[] = [];
    for (const uuid of uuids) {
      const version = await versions.byUuid(uuid);
      if (version === undefined) continue;
      const { totalElements } = await selectRecords(searches, {
        domainVersionUuid: uuid,
        domainType: version.domainType,
        drUuids,
        keyDigests: undefined,
        condition: undefined,
        orderBy: [],
        offset: 0,
        limit: 1,
        restriction: restrictionOf(principal, version),
        required: [],
      });
      if (totalElements > 0) told.push(uuid);
    }
    return told;
  };

  const requireVersion = async (
    { domain, drUuids, versionNumber }: EffectiveRequest,
    asking: Asking,
  ): Promise<AssembledVersion> => {
    if (drUuids === undefined) {
      const version = await versions.byName(domain ?? '', versionNumber);
      if (version === undefined)
        throw new AppError('NOT_FOUND', `there is no version ${versionNumber} of domain "${domain}"`);
      return version;
    }
    const [first, ...others] = await versionsToTell(drUuids, asking);
    if (others.length > 0) {
      const errors: ErrorCause[] = [
        { pointer: '/drUuids', code: 'MIXED_VERSIONS', detail: 'the records belong to several domain versions' },
      ];
      throw new AppError('VALIDATION_FAILED', 'one request assembles records of one domain version', { errors });
    }
    const version = first === undefined ? undefined : await versions.byUuid(first);
    if (version === undefined) throw new AppError('NOT_FOUND', 'none of the records is known');
    return version;
  };

  const digestsOf = (request: EffectiveRequest, { model }: AssembledVersion): Buffer[] | undefined => {
    if (request.drUuids !== undefined || request.drKeys === undefined) return undefined;
    const errors: ErrorCause[] = [];
    const digests = request.drKeys.flatMap((drKey, index) => {
      const validation = model.validateDrKey(drKey);
      if (validation.valid) return [model.keyDigest(validation.record)];
      errors.push(...validation.errors.map((cause) => ({ ...cause, pointer: `/drKeys/${index}${cause.pointer}` })));
      return [];
    });
    if (errors.length > 0) throw new AppError('VALIDATION_FAILED', 'a DR Key is not valid', { errors });
    return digests;
  };

  const pageOf = (
    request: EffectiveRequest,
    version: AssembledVersion,
    restriction: VersionAccess | undefined,
    searches: Queryable,
  ): Promise<RecordPage> => {
    const properties = searchedProperties(version.model, restriction);
    const keyDigests = digestsOf(request, version);
    const condition = searchCondition(request.query, properties);
    const orderBy = sortTerms(request.sort, properties);
    return selectRecords(searches, {
      domainVersionUuid: version.domainVersionUuid,
      domainType: version.domainType,
      drUuids: request.drUuids,
      keyDigests,
      condition,
      orderBy,
      offset: request.page * request.size,
      limit: request.size,
      restriction,
      required: [
        ...(keyDigests === undefined ? [] : version.model.drKeyProperties),
        ...(condition === undefined ? [] : conditionProperties(condition)),
        ...orderBy.map(({ property }) => property.name),
      ],
    });
  };

  const ask = (
    request: EffectiveRequest,
    version: AssembledVersion,
    holdings: readonly RecordHolding[],
    restriction: VersionAccess | undefined,
    share: RequestShare,
  ) => {
    const keys = new Map(holdings.map((holding) => [`${holding.recordUuid} ${holding.adaptorUuid}`, holding.drKey]));
    return ({ source, recordUuids }: Enquiry, signal: AbortSignal) =>
      questions.ask(
        source.adaptorUuid,
        {
          domain: version.domainName,
          version: version.versionNumber,
          domainVersionUuid: version.domainVersionUuid,
          records: [...recordUuids].map((drUuid) => ({
            drUuid,
            drKey: keys.get(`${drUuid} ${source.adaptorUuid}`) ?? {},
          })),
          requestedProperties: propertiesToAsk(request, restriction?.at(source), recordUuids),
          ...(request.additionalParams === undefined ? {} : { additionalParams: request.additionalParams }),
          timeoutMilliseconds: request.timeout * 1000,
        },
        share,
        signal,
      );
  };

  const assembleFederated = async (
    request: EffectiveRequest,
    version: AssembledVersion,
    { records }: RecordPage,
    { restriction, share, signal }: FederatedSurroundings,
  ): Promise<Pick<AssemblyResponse, 'assembledDataRecords' | 'completeness'>> => {
    const recordUuids = records.map(({ uuid }) => uuid);
    const [capable, holdings] = await Promise.all([
      capableSources(database, version, request.zoneUuid),
      holdingsOf(database, recordUuids),
    ]);
    const down = new Set(capable.filter((source) => source.down).map(({ adaptorUuid }) => adaptorUuid));
    const governed = await permitSources(database, {
      sources: chooseSources(request, capable),
      askingZoneUuid: request.zoneUuid,
      domainVersionUuid: version.domainVersionUuid,
      properties: version.model.properties.map(({ name }) => name),
    });
    const isDown = (uuid: string): boolean => down.has(uuid);
    const holding = enquiriesOf(governed.sources, holdings, isDown);
    const mayAsk = restriction === undefined ? () => true : mayAskOf(request, restriction);
    const enquiries = enquiriesOf(
      governed.sources,
      holdings,
      isDown,
      (source, recordUuid) => governed.permits(source, recordUuid) && mayAsk(source, recordUuid),
    );
    const gathered = await gatherAnswers(enquiries, {
      policy: request.releasePolicy,
      recordUuids,
      timeoutMs: request.timeout * 1000,
      signal,
      ask: ask(request, version, holdings, restriction, share),
      onFailure: (source, failure) =>
        log.warn({ adaptorUuid: source.adaptorUuid, err: failure }, 'an adaptor failed to answer an assembly request'),
    });
    return {
      assembledDataRecords: assembledRecords(records, gathered, {
        policy: request.releasePolicy,
        model: version.model,
        requestedProperties: request.requestedProperties,
        provenance: request.options?.provenance === true,
        holdings,
        withheld: (source, recordUuid) => governed.withheld(source, recordUuid),
        restriction,
      }),
      completeness: [
        ...gathered.map(toCompleteness),
        ...Array.from({ length: governed.deniedCount + holding.length - enquiries.length }, () => deniedCompleteness),
      ],
    };
  };

  /** The share is given back when the answers are merged. */
  const withShare = async <T>({ uuid }: Principal, work: (share: RequestShare) => Promise<T>): Promise<T> => {
    const share = budget.open(uuid);
    try {
      return await work(share);
    } finally {
      share.close();
    }
  };

  const assemble = async (
    request: AssemblyRequest,
    principal: Principal,
    signal = neverAborted,
  ): Promise<AssemblyResponse> => {
    const effective = effectiveRequest(request, principal);
    const searches = database.searches.sessionOf({ key: principal.uuid, signal });
    const version = await requireVersion(effective, { principal, searches });
    const restriction = restrictionOf(principal, version);
    const page = await pageOf(effective, version, restriction, searches);
    const { page: number, size } = effective;
    const assembled =
      version.domainType === 'FEDERATED'
        ? await withShare(principal, (share) =>
            assembleFederated(effective, version, page, { restriction, share, signal }),
          )
        : storedRecords(page, effective, version, restriction);
    return {
      uuid: newUuid(),
      domain: version.domainName,
      versionNumber: version.versionNumber,
      domainVersionUuid: version.domainVersionUuid,
      virtualizationRequest: {
        ...effective,
        domain: version.domainName,
        versionNumber: version.versionNumber,
        domainVersionUuid: version.domainVersionUuid,
        outputType: 'FULL',
      },
      ...assembled,
      _page: {
        page: number,
        size,
        totalElements: page.totalElements,
        totalPages: Math.ceil(page.totalElements / size),
      },
      schemaEntries: schemaEntries(version.model.properties),
    };
  };

  return { assemble };
};
