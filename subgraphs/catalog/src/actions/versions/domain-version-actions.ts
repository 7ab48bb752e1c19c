import type { Principal } from '@fds/auth';
import { inTransaction, isReferenceViolation, type PrismaTransaction } from '@fds/database';
import {
  AppError,
  type ErrorCause,
  checkChangeVersion,
  FaultList,
  readCutDescription,
  staleChangeVersion,
} from '@fds/errors';
import { parseJson } from '@fds/json';
import { exactAlgorithm } from '@fds/matching';
import { compareModels } from '@fds/model-schema';
import { checkPropertyPatch, type PropertyPatch } from '../../domain/versions/check-property-patch.js';
import type { Domain } from '../../domain/domains/domain.js';
import {
  checkDomainNamed,
  checkSearchedType,
  patchedVersionInput,
  readVersion,
  withSpellingsOf,
  type DomainVersion,
  type DomainVersionInput,
} from '../../domain/versions/domain-version.js';
import { loadModel, prepareInput } from '../../store/versions/load-model.js';
import { checkModification } from '../../domain/models/modification-rules.js';
import { readRecordValues } from '../../domain/models/record-values.js';
import { logAs, type StoreTools } from '../../store/catalog-writer.js';
import { checkReferences } from './check-references.js';
import { lockDomain } from '../../store/domains/domain-rows.js';
import { hasRecords, lockVersion, versionColumns } from '../../store/versions/version-rows.js';
import { requireDomain } from '../domains/domain-actions.js';
import { loadRecordValues } from './load-record-values.js';
import {
  loadVersionProperties,
  saveProperties,
  type VersionProperty,
} from '../../store/versions/version-properties.js';

/** The result of saving or validating a version. */
export interface VersionOutcome {
  readonly domainVersion?: DomainVersion;
  readonly errors?: readonly ErrorCause[];
}

/** `save` saves; `validate` only returns the result that saving would have. */
type SaveMode = 'save' | 'validate';

export interface DomainVersionActions {
  /** @throws AppError NOT_FOUND, also when the version belongs to another domain than the given one */
  read(domainUuid: string | null | undefined, versionUuid: string): Promise<DomainVersion>;
  create(domainUuid: string, input: DomainVersionInput, mode: SaveMode, principal: Principal): Promise<VersionOutcome>;
  replace(
    version: DomainVersion,
    input: DomainVersionInput,
    mode: SaveMode,
    principal: Principal,
  ): Promise<VersionOutcome>;
  patch(
    version: DomainVersion,
    input: DomainVersionInput,
    mode: SaveMode,
    principal: Principal,
  ): Promise<VersionOutcome>;
  /** @throws AppError NOT_FOUND */
  readProperty(version: DomainVersion, propertyUuid: string): Promise<VersionProperty>;
  /**
   * Sets the description if the patch has one.
   *
   * @throws AppError NOT_FOUND, VALIDATION_FAILED when the patch would change anything else
   */
  describeProperty(
    version: DomainVersion,
    propertyUuid: string,
    patch: PropertyPatch,
    principal: Principal,
    faults: FaultList,
  ): Promise<VersionProperty>;
  /** The catalogued properties of versions, in the order of their models. */
  listProperties(versions: readonly DomainVersion[]): Promise<readonly (readonly VersionProperty[])[]>;
}

const notFound = (uuid: string): AppError => new AppError('NOT_FOUND', `there is no domain version ${uuid}`);

const modificationCodes = new Set(['PROPERTY_REMOVED', 'TYPE_CHANGED', 'DR_KEY_CHANGED']);

/** Refuses with the suitable code: a conflict with records only if there are no other faults. */
const refuse = (faults: FaultList): void => {
  const { causes } = faults;
  if (causes.length > 0 && causes.every((cause) => modificationCodes.has(cause.code))) {
    throw new AppError('CONFLICT', 'the change is not allowed while data records exist', { errors: causes });
  }
  if (causes.some(({ pointer }) => /^\/(?:modelSchema|drKeyProperties|searchProperties)(?:\/|$)/.test(pointer))) {
    throw new AppError('INVALID_MODEL_SCHEMA', 'the domain version is not valid', { errors: causes });
  }
  faults.throwIfAny();
};

const isWithinValues = (pointer: string): boolean => pointer.startsWith('/values/');

/** Ends a validation inside its transaction, so that the transaction saves nothing. */
class Validated extends Error {
  constructor(readonly outcome: VersionOutcome) {
    super('validated');
  }
}

/** A version in the change log, in the form of REST. */
const shownVersion = ({ uuid, name, domainType }: Domain, version: DomainVersion) => ({
  ...version,
  modelSchema: parseJson(version.modelSchema),
  matchingAlgorithm: version.matchingAlgorithm === null ? exactAlgorithm : parseJson(version.matchingAlgorithm),
  domain: { uuid, name, domainType },
});

/** The actions on versions of domains. */
export const createDomainVersionActions = (
  tools: StoreTools & {
    /** Sends the new version to connected adaptors that are capable of it. Called after the commit. */
    readonly announceVersion: (domainName: string, versionNumber: number) => Promise<void>;
  },
): DomainVersionActions => {
  const { database, now, newUuid, announceVersion } = tools;
  const { prisma } = database;

  const log = (
    tx: PrismaTransaction,
    principal: Principal,
    action: 'POST' | 'PUT' | 'PATCH',
    domain: Domain,
    version: DomainVersion,
  ) =>
    logAs(tx, principal, {
      action,
      resourceType: 'DomainVersion',
      resource: `/domains/${domain.uuid}/versions/${version.uuid}`,
      resourceUuid: version.uuid,
      zoneUuid: domain.zoneUuid,
      data: shownVersion(domain, version),
    });

  /** Runs the work and then announces the version. A validation is rolled back, and its outcome is returned. */
  const save = async (
    domainUuid: string,
    mode: SaveMode,
    work: (tx: PrismaTransaction, domain: Domain, faults: FaultList) => Promise<DomainVersion | undefined>,
  ): Promise<VersionOutcome> => {
    try {
      const { domain, version } = await inTransaction(database, async (tx) => {
        await lockDomain(tx, domainUuid);
        const domain = await requireDomain(tx, domainUuid);
        const faults = new FaultList();
        const version = await work(tx, domain, faults);
        if (mode === 'validate') {
          throw new Validated(faults.isEmpty ? { domainVersion: version } : { errors: faults.causes });
        }
        refuse(faults);
        if (version === undefined) throw new Error('a version without faults was not saved');
        return { domain, version };
      });
      await announceVersion(domain.name, version.versionNumber);
      return { domainVersion: version };
    } catch (error) {
      if (error instanceof Validated) return error.outcome;
      throw isReferenceViolation(error) ? new AppError('CONFLICT', 'another request deleted a record') : error;
    }
  };

  const change = (
    version: DomainVersion,
    input: DomainVersionInput,
    mode: SaveMode,
    principal: Principal,
    action: 'PUT' | 'PATCH',
  ): Promise<VersionOutcome> =>
    save(version.domainUuid, mode, async (tx, domain, faults) => {
      const current = await tx.domainVersion.findUnique({ where: { uuid: version.uuid } });
      if (current === null) throw notFound(version.uuid);
      checkChangeVersion(input.changeVersion, current.changeVersion, faults);
      checkDomainNamed(input, domain, faults);
      const before = await loadModel(current);
      await lockVersion(tx, current.uuid);
      const recordsExist = await hasRecords(tx, current.uuid);
      const replacement = action === 'PATCH' ? patchedVersionInput(current, input) : input;
      await prepareInput(replacement);
      const read = readVersion(recordsExist ? withSpellingsOf(before, replacement) : replacement, faults);
      checkSearchedType(replacement, domain, faults);
      const { name: domainName, domainType } = domain;
      const { versionNumber } = current;
      await checkReferences(tx, read, { domainName, domainType, versionNumber }, faults);
      const { content } = read;
      if (content === undefined) return undefined;
      if (recordsExist) checkModification(before, content.model, faults);
      const added = compareModels(before, content.model).added.map((property) => property.path);
      const values = readRecordValues(action === 'PATCH' ? input.values : null, added, faults);
      if (values.length > 0 && domain.domainType !== 'SERVICE_DATA_STORE') {
        faults.add('/values', 'NOT_ALLOWED', 'only domains of type SERVICE_DATA_STORE hold data');
      }
      // a fault of one value does not prevent the check of the others
      if (faults.causes.some(({ pointer }) => !isWithinValues(pointer))) return undefined;
      const time = now();
      const { count } = await tx.domainVersion.updateMany({
        where: { uuid: current.uuid, changeVersion: current.changeVersion },
        data: { ...versionColumns(content), lastUpdated: time, changeVersion: { increment: 1 } },
      });
      const saved = await tx.domainVersion.findUniqueOrThrow({ where: { uuid: current.uuid } });
      if (count === 0) throw staleChangeVersion(saved.changeVersion);
      await saveProperties(tx, current.uuid, before, content.model, newUuid);
      const { uuid: actorUuid, dataAccess } = principal;
      const { uuid: domainUuid, zoneUuid } = domain;
      const valued = { uuid: current.uuid, domainUuid, zoneUuid, model: content.model };
      const change = { time, actorUuid, transactionUuid: newUuid(), dataAccess };
      await loadRecordValues(tx, valued, values, change, faults);
      await log(tx, principal, action, domain, saved);
      return saved;
    });

  const listProperties = (versions: readonly DomainVersion[]) => loadVersionProperties(prisma, versions);

  const readProperty = async (version: DomainVersion, propertyUuid: string): Promise<VersionProperty> => {
    const [properties] = await listProperties([version]);
    const property = properties?.find((candidate) => candidate.uuid === propertyUuid);
    if (property === undefined) throw new AppError('NOT_FOUND', `the version has no property ${propertyUuid}`);
    return property;
  };

  return {
    read: async (domainUuid, uuid) => {
      const version = await prisma.domainVersion.findUnique({ where: { uuid } });
      if (version === null || (domainUuid && version.domainUuid !== domainUuid)) throw notFound(uuid);
      return version;
    },
    create: (domainUuid, input, mode, principal) =>
      save(domainUuid, mode, async (tx, domain, faults) => {
        checkDomainNamed(input, domain, faults);
        await prepareInput(input);
        const read = readVersion(input, faults);
        checkSearchedType(input, domain, faults);
        const { _max } = await tx.domainVersion.aggregate({ where: { domainUuid }, _max: { versionNumber: true } });
        const versionNumber = (_max.versionNumber ?? 0) + 1;
        const { name: domainName, domainType } = domain;
        await checkReferences(tx, read, { domainName, domainType, versionNumber }, faults);
        const { content } = read;
        if (content === undefined || !faults.isEmpty) return undefined;
        const [uuid, time] = [newUuid(), now()];
        const version = await tx.domainVersion.create({
          data: {
            uuid,
            domainUuid,
            versionNumber,
            ...versionColumns(content),
            createdByUuid: principal.uuid,
            dateCreated: time,
            lastUpdated: time,
          },
        });
        await saveProperties(tx, uuid, undefined, content.model, newUuid);
        await log(tx, principal, 'POST', domain, version);
        if (domain.defaultVersionUuid === null) {
          await tx.domain.update({
            where: { uuid: domainUuid },
            data: { defaultVersionUuid: uuid },
            select: { uuid: true },
          });
          await logAs(tx, principal, {
            action: 'PATCH',
            resourceType: 'Domain',
            resource: `/domains/${domainUuid}`,
            resourceUuid: domainUuid,
            zoneUuid: domain.zoneUuid,
            data: { ...domain, defaultVersionUuid: uuid },
          });
        }
        return version;
      }),
    replace: (version, input, mode, principal) => change(version, input, mode, principal, 'PUT'),
    patch: (version, input, mode, principal) => change(version, input, mode, principal, 'PATCH'),
    readProperty,
    describeProperty: async (version, propertyUuid, patch, principal, faults) => {
      const property = await readProperty(version, propertyUuid);
      checkPropertyPatch(patch, property, faults);
      const cut = readCutDescription(patch.description, faults);
      faults.throwIfAny();
      if (patch.description === undefined) return property;
      await inTransaction(database, async (tx) => {
        const domain = await requireDomain(tx, version.domainUuid);
        await tx.domainVersionProperty.update({
          where: { uuid: propertyUuid },
          data: { description: cut },
          select: { uuid: true },
        });
        await log(tx, principal, 'PATCH', domain, version);
      });
      return readProperty(version, propertyUuid);
    },
    listProperties,
  };
};
