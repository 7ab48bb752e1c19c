import type { Principal, Sealer } from '@fds/auth';
import type { Database, JoinedWork } from '@fds/database';
import { AppError, type ErrorCause } from '@fds/errors';
import { compareAccess, loadAccessPicture, type AccessDifference } from '@fds/identity';
import { parseJson, stringifyJson, type JsonValue } from '@fds/json';
import { lockConfiguration, lockPlan, markApplied, savePlan } from '../../store/configuration/plan-rows.js';

/** One change that a plan makes. */
interface PlannedChange {
  readonly action: 'CREATE' | 'UPDATE' | 'DELETE' | 'MOVE';
  readonly kind: string;
  readonly name: string;
  readonly uuid: string | null;
  readonly before: JsonValue;
  readonly after: JsonValue;
  readonly changeVersion: number | null;
}

/** The outcome of documents that were carried out. */
interface CarriedOut {
  readonly changes: readonly PlannedChange[];
  readonly faults: readonly ErrorCause[];
  readonly clients: readonly {
    readonly kind: string;
    readonly name: string;
    readonly clientId: string;
    readonly clientSecret: string;
  }[];
  readonly fingerprint: string;
}

/** The caller who carries documents out. */
export interface DocumentsCaller {
  readonly principal: Principal;
  readonly requestId: string;
}

/** Port: carries documents out by the API, in joined work. */
export type CarryOut = (
  documents: JsonValue,
  options: { readonly prune: boolean },
  caller: DocumentsCaller,
  joined: JoinedWork,
) => Promise<CarriedOut>;

export interface PlanDependencies {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly now: () => Date;
  readonly newUuid: () => string;
  readonly forgetHolders: () => void;
  /** @throws AppError UNAVAILABLE where this process cannot plan */
  readonly carryOut: CarryOut;
  readonly planMinutes: number;
}

/** Kinds whose changes may give people and roles data, or take it. */
const changesAccess: ReadonlySet<string> = new Set(['Role', 'Group', 'User', 'DataAccessRules']);

/** Paths of the zones whose people and roles the changes concern. */
const zonesOf = (changes: readonly PlannedChange[]): ReadonlySet<string> =>
  new Set(changes.flatMap(({ kind, name }) => (changesAccess.has(kind) ? [name.slice(0, name.lastIndexOf('/'))] : [])));

/** The data that people and roles gain and lose by the changes of joined work. */
const accessOf = async (
  { prisma }: Database,
  joined: JoinedWork,
  changes: readonly PlannedChange[],
): Promise<readonly AccessDifference[]> => {
  const zones = zonesOf(changes);
  if (zones.size === 0) return [];
  const before = await joined.outside(() => loadAccessPicture(prisma, zones));
  return compareAccess(prisma, before, await loadAccessPicture(prisma, zones));
};

/** Plans of one caller that are kept. */
const keptPlans = 20;

const outdated = (faults: readonly ErrorCause[]): AppError =>
  new AppError('PLAN_OUTDATED', 'something that the plan rests on has changed', { errors: faults });

/** Plans and applications of all callers that run or wait: each holds its documents in memory, and they run one after another. */
const maxWaiting = 4;

/** Plans documents of configuration, and applies plans. A caller has one at a time. */
export const createPlanActions = (dependencies: PlanDependencies) => {
  const { database, sealer, now, newUuid, carryOut, planMinutes } = dependencies;
  const notBefore = (): Date => new Date(now().getTime() - planMinutes * 60_000);

  const waiting = new Set<string>();
  /** @throws AppError RATE_LIMITED */
  const inTurn = async <T>(callerUuid: string, work: () => Promise<T>): Promise<T> => {
    if (waiting.has(callerUuid) || waiting.size >= maxWaiting)
      throw new AppError('RATE_LIMITED', 'another plan is in progress: wait for its end');
    waiting.add(callerUuid);
    try {
      return await work();
    } finally {
      waiting.delete(callerUuid);
    }
  };

  /** Carries documents out and undoes everything. The answer has the changes that applying them would make. */
  const plan = async (documents: JsonValue, prune: boolean, caller: DocumentsCaller) => {
    const { planned, access } = await database.joined(async (joined) => {
      const carriedOut = await carryOut(documents, { prune }, caller, joined);
      const value = { planned: carriedOut, access: await accessOf(database, joined, carriedOut.changes) };
      return { value, commits: false };
    });
    dependencies.forgetHolders();
    const { changes, faults, fingerprint } = planned;
    if (faults.length > 0) return { planUuid: null, changes, faults, access };
    const planUuid = newUuid();
    const stored = {
      uuid: planUuid,
      actorUuid: caller.principal.uuid,
      sealedDocuments: sealer.seal(stringifyJson(documents)),
      prune,
      fingerprint,
      dateCreated: now(),
    };
    await savePlan(database.pool, stored, { keptPlans, notBefore: notBefore() });
    return { planUuid, changes, faults, access };
  };

  /**
   * Carries out the documents of a plan in one transaction.
   *
   * @throws AppError NOT_FOUND, PLAN_APPLIED, PLAN_OUTDATED
   */
  const apply = async (planUuid: string, caller: DocumentsCaller) => {
    const applied = await database.joined(async (joined) => {
      await lockConfiguration(database.pool);
      const stored = await lockPlan(database.pool, {
        uuid: planUuid,
        actorUuid: caller.principal.uuid,
        notBefore: notBefore(),
      });
      if (stored === undefined) throw new AppError('NOT_FOUND', 'you have no such plan, or it is too old');
      if (stored.isApplied) throw new AppError('PLAN_APPLIED', 'the plan was applied already');
      const documents = parseJson(sealer.unseal(stored.sealedDocuments));
      const value = await carryOut(documents, { prune: stored.prune }, caller, joined);
      if (value.faults.length > 0 || value.fingerprint !== stored.fingerprint) throw outdated(value.faults);
      await markApplied(database.pool, planUuid, now());
      return { value, commits: true };
    });
    dependencies.forgetHolders();
    return { planUuid, changes: applied.changes, clients: applied.clients };
  };

  return {
    plan: (...[documents, prune, caller]: Parameters<typeof plan>) =>
      inTurn(caller.principal.uuid, () => plan(documents, prune, caller)),
    apply: (...[planUuid, caller]: Parameters<typeof apply>) =>
      inTurn(caller.principal.uuid, () => apply(planUuid, caller)),
  };
};

export type PlanActions = ReturnType<typeof createPlanActions>;
