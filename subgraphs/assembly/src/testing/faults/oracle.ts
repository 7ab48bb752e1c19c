import type { AssemblyCase } from './assembly-case.js';
import type { AskedQuestion, SentMessage } from './answer-writer.js';
import { oracleAccess } from './oracle-access.js';
import { answeredRecord, receive, timestampsOf, type OracleQuestion, type OracleRecord } from './oracle-bus.js';
import { fitProperty, unfit, type Paths } from './oracle-values.js';
import { propertyNames, type World, type WorldAdaptor } from './world.js';

type Tier = 'GOLD' | 'SILVER' | 'BRONZE';

/** An adaptor that is involved in the assembly. */
interface OracleSource {
  readonly adaptor: WorldAdaptor;
  readonly tier: Tier;
  /** Records that it is asked for. */
  readonly recordUuids: readonly string[];
}

/** The expected questions and answer of an assembly. */
export interface Oracle {
  /** The expected properties, by adaptor and record. Adaptors that are down are not asked. */
  readonly asks: ReadonlyMap<string, readonly string[] | null>;
  begin(questions: readonly AskedQuestion[]): void;
  deliver(message: SentMessage): void;
  isReleased(): boolean;
  /** The answer at this moment, in which an adaptor that has not answered is LATE. */
  answer(): { readonly records: readonly unknown[]; readonly completeness: readonly unknown[] };
}

const tierRank = { GOLD: 0, SILVER: 1, BRONZE: 2 };

/** Computes the answer from the text of the specification, slowly. */
export const createOracle = (world: World, { request, roles }: AssemblyCase, maxAnswerBytes: number): Oracle => {
  const access = oracleAccess(world, roles);
  const isSearch = request.additionalParams?.['timestamp-search'] === true;
  const requestedPaths = request.requestedProperties?.map((path) => path.toLowerCase().split('.'));
  const pathsOf = (name: string): Paths =>
    requestedPaths === undefined
      ? [[]]
      : requestedPaths.filter(([first]) => first === name.toLowerCase()).map(([, ...rest]) => rest);
  const requested = propertyNames.filter((name) => pathsOf(name).length > 0);
  const groupOf = (name: string): readonly string[] => world.groups.find((group) => group.includes(name)) ?? [name];

  const lists = [request.goldAdaptors, request.silverAdaptors, request.bronzeAdaptors];
  const hasTierLists = lists.some((list) => list !== undefined && list.length > 0);
  const named = [...(request.adaptors ?? []), ...lists.flatMap((list) => list ?? [])];
  const tierOf = (adaptor: WorldAdaptor): Tier => {
    if (!hasTierLists) return adaptor.preferred ?? 'BRONZE';
    if (request.goldAdaptors?.includes(adaptor.uuid)) return 'GOLD';
    return request.silverAdaptors?.includes(adaptor.uuid) ? 'SILVER' : 'BRONZE';
  };

  const linksOf = (recordUuid: string) => world.links.filter((link) => link.recordUuid === recordUuid);
  const adaptorOf = (uuid: string): WorldAdaptor => world.adaptors.find((each) => each.uuid === uuid) as WorldAdaptor;

  /** Records of the answer with the key that the caller sees. */
  const page = [...world.records]
    .sort((one, other) => (one.uuid < other.uuid ? -1 : 1))
    .flatMap(({ uuid, key }) => {
      if (access.isWhole) return [{ uuid, drKey: { id: key } }];
      const links = [...linksOf(uuid)].sort((one, other) => (one.adaptorUuid < other.adaptorUuid ? -1 : 1));
      const seen = links.find(({ adaptorUuid }) => access.shown(adaptorOf(adaptorUuid), uuid).length > 0);
      if (links.length > 0 && seen === undefined) return [];
      const shown = access.shown(seen === undefined ? null : adaptorOf(seen.adaptorUuid), uuid);
      if (shown.length === 0) return [];
      return [{ uuid, drKey: shown.includes('id') ? { id: seen?.key ?? key } : {} }];
    });

  const sources: OracleSource[] = [];
  let denied = 0;
  for (const adaptor of world.adaptors) {
    if (named.length > 0 && !named.includes(adaptor.uuid)) continue;
    const held = page.filter(({ uuid }) => linksOf(uuid).some(({ adaptorUuid }) => adaptorUuid === adaptor.uuid));
    if (held.length === 0) continue;
    const mayHave = held.filter(({ uuid }) => {
      const visible = access.visible(adaptor, uuid);
      return requested.length === 0 ? visible.length > 0 : requested.some((name) => visible.includes(name));
    });
    if (mayHave.length === 0) denied += 1;
    else sources.push({ adaptor, tier: tierOf(adaptor), recordUuids: mayHave.map(({ uuid }) => uuid) });
  }

  const asks = new Map<string, readonly string[] | null>();
  for (const { adaptor, recordUuids } of sources) {
    if (adaptor.isDown) continue;
    for (const recordUuid of recordUuids) {
      const visible = access.visible(adaptor, recordUuid);
      const isEverything = propertyNames.every((name) => pathsOf(name).some((path) => path.length === 0));
      const names = propertyNames.filter(
        (name) => requested.some((each) => groupOf(each).includes(name)) && visible.includes(name),
      );
      asks.set(`${adaptor.uuid} ${recordUuid}`, isEverything && visible.length === propertyNames.length ? null : names);
    }
  }

  let questions: OracleQuestion[] = [];

  const outcomeOf = ({ adaptor }: OracleSource): 'DOWN' | 'ANSWERED' | 'FAILED' | 'LATE' => {
    if (adaptor.isDown) return 'DOWN';
    const own = questions.filter(({ question }) => question.adaptorUuid === adaptor.uuid);
    if (own.some(({ state }) => state === 'FAILED')) return 'FAILED';
    if (own.some(({ state }) => state === 'DOWN')) return 'DOWN';
    return own.every(({ state }) => state === 'ANSWERED') ? 'ANSWERED' : 'LATE';
  };

  /** The answer of an adaptor for a record. Undefined when there is none; null when the adaptor no longer has the record. */
  const answerOf = (source: OracleSource, recordUuid: string): OracleRecord | null | undefined => {
    if (outcomeOf(source) !== 'ANSWERED' || !source.recordUuids.includes(recordUuid)) return undefined;
    const own = questions.find(
      ({ question }) =>
        question.adaptorUuid === source.adaptor.uuid && question.records.some(({ drUuid }) => drUuid === recordUuid),
    );
    if (own === undefined) return undefined;
    const record = answeredRecord(own, recordUuid);
    if (!isSearch) return record?.data === null ? null : record;
    const besides = timestampsOf(own);
    if (besides === undefined && record?.timestamps === undefined) return record?.data === null ? null : undefined;
    return {
      ...(record ?? { drKey: {} }),
      data: {},
      timestamps: [...(besides ?? []), ...(record?.timestamps ?? [])],
    };
  };

  const preferredAmong = (some: readonly OracleSource[]): readonly OracleSource[] => {
    const gold = some.filter(({ tier }) => tier === 'GOLD');
    const silver = some.filter(({ tier }) => tier === 'SILVER');
    if (request.releasePolicy === 'GOLD') return gold.length > 0 ? gold : silver.length > 0 ? silver : some;
    if (request.releasePolicy === 'ASAP') return some;
    return gold.length + silver.length > 0 ? [...gold, ...silver] : some;
  };

  const isReleased = (): boolean => {
    const isWaitedFor = (source: OracleSource): boolean => outcomeOf(source) === 'LATE';
    if (request.releasePolicy !== 'ASAP') {
      // an adaptor that is down is not asked, so the policy ignores it
      return !preferredAmong(sources.filter((source) => outcomeOf(source) !== 'DOWN')).some(isWaitedFor);
    }
    return page.every(({ uuid }) => {
      const holders = sources.filter(({ recordUuids }) => recordUuids.includes(uuid));
      return holders.some((source) => answerOf(source, uuid)) || !holders.some(isWaitedFor);
    });
  };

  const assemble = ({ uuid, drKey }: (typeof page)[number]): unknown => {
    const results = sources
      .filter(({ recordUuids }) => recordUuids.includes(uuid))
      .map((source) => {
        const visible = access.visible(source.adaptor, uuid);
        const sent = answerOf(source, uuid);
        const values = new Map<string, unknown>();
        for (const name of visible) {
          const value = sent
            ? fitProperty(sent.data ?? {}, name, requested.includes(name) ? pathsOf(name) : [[]])
            : undefined;
          if (value !== undefined) values.set(name, value);
        }
        const isWhole = ![...values].some(([name, value]) => value === unfit && requested.includes(name));
        for (const [name, value] of values) if (value === unfit) values.delete(name);
        const link = linksOf(uuid).find(({ adaptorUuid }) => adaptorUuid === source.adaptor.uuid);
        return { source, sent, values, isWhole, isAll: visible.length === propertyNames.length, link };
      });
    const answers = results.filter(({ sent }) => sent !== null && sent !== undefined);
    const best = [...answers].sort((one, other) => {
      const tiers = tierRank[one.source.tier] - tierRank[other.source.tier];
      if (tiers !== 0) return tiers;
      const changes =
        (other.sent?.lastUpdated ?? other.link?.lastUpdated ?? 0) -
        (one.sent?.lastUpdated ?? one.link?.lastUpdated ?? 0);
      if (changes !== 0) return changes;
      const [a, b] = [one.source.adaptor, other.source.adaptor];
      return a.name === b.name ? (a.uuid < b.uuid ? -1 : 1) : a.name < b.name ? -1 : 1;
    });
    const data: [string, unknown][] = [];
    const provenance: [string, unknown][] = [];
    for (const name of requested) {
      const taken = best.find(({ values }) => groupOf(name).some((each) => values.has(each)));
      if (taken === undefined || !taken.values.has(name)) continue;
      data.push([name, taken.values.get(name)]);
      provenance.push([name, { adaptorUuid: taken.source.adaptor.uuid, tier: taken.source.tier }]);
    }
    const holding = results.filter(({ sent }) => sent !== null);
    const preferred = holding.filter(({ source }) => preferredAmong(sources).includes(source));
    const isThere = ({ sent }: (typeof results)[number]): boolean => sent !== undefined;
    let status = 'FALLBACK';
    if (!holding.some(isThere)) status = 'UNAVAILABLE';
    else if (preferred.every((one) => isThere(one) && one.isWhole)) status = 'PREFERRED_COMPLETE';
    else if (preferred.some(isThere)) status = 'PREFERRED_PARTIAL';
    const { 'timestamp-ascending': ascending, 'timestamp-max': max } = request.additionalParams ?? {};
    const timestamps = [...new Set(answers.flatMap(({ sent }) => sent?.timestamps ?? []))].sort((one, other) =>
      ascending === false ? other - one : one - other,
    );
    return {
      uuid,
      data: Object.fromEntries(data),
      status,
      drKey,
      adaptors: answers
        .map(({ source: { adaptor }, sent, isAll }) => ({
          uuid: adaptor.uuid,
          name: adaptor.name,
          zoneUuid: adaptor.zoneUuid,
          zoneName: adaptor.zoneUuid,
          ...(isAll && sent?.additionalParams !== undefined ? { additionalParams: sent.additionalParams } : {}),
        }))
        .sort((one, other) => (one.uuid < other.uuid ? -1 : 1)),
      ...(request.options?.provenance === true ? { provenance: Object.fromEntries(provenance) } : {}),
      ...(isSearch ? { timestamps: timestamps.slice(0, typeof max === 'number' ? max : undefined) } : {}),
    };
  };

  return {
    asks,
    begin: (asked) => {
      questions = asked.map((question) => ({ question, state: 'WAITING', parts: new Map(), bytes: 0 }));
    },
    deliver: (message) => receive(questions, message, maxAnswerBytes),
    isReleased,
    answer: () => ({
      records: page.map(assemble),
      completeness: [
        ...sources
          .map((source) => ({
            adaptorUuid: source.adaptor.uuid,
            tier: source.tier,
            outcome: outcomeOf(source),
          }))
          .sort((one, other) => (one.adaptorUuid < other.adaptorUuid ? -1 : 1)),
        ...Array.from({ length: denied }, () => ({ adaptorUuid: null, tier: null, outcome: 'DENIED' })),
      ],
    }),
  };
};
