import type { Database } from '@fds/database';
import { AppError, FaultList } from '@fds/errors';
import { parseJson } from '@fds/json';
import {
  guarded,
  JsonText,
  parseSort,
  requirePage,
  requirePermission,
  toPaged,
  type FieldAccess,
  type FieldPromises,
  type RequestContext,
} from '@fds/graphql';
import { exactAlgorithm } from '@fds/matching';
import type { Action } from '@fds/access-rules';
import type { PropertyPatch } from '../domain/versions/check-property-patch.js';
import type { DomainVersion, DomainVersionInput } from '../domain/versions/domain-version.js';
import { mayOnVersion } from '../domain/visibility.js';
import { propertySortFields, sortProperties } from '../domain/versions/sort-properties.js';
import {
  listDomainVersions,
  listVersionsOfDomain,
  type DomainVersionFilter,
} from '../actions/versions/domain-version-list.js';
import type { DomainVersionActions, VersionOutcome } from '../actions/versions/domain-version-actions.js';
import type { LoadersOf } from './loaders.js';

interface VersionArguments {
  readonly domainUuid?: string | null;
  readonly domainVersionUuid: string;
}

interface WriteArguments extends VersionArguments {
  readonly input: DomainVersionInput;
}

interface PropertyArguments extends VersionArguments {
  readonly propertyUuid: string;
}

interface PageArguments {
  readonly page?: number | null;
  readonly size?: number | null;
}

/** Validates or saves. For a check, it throws the causes of a validation. */
const saved = async (
  { purpose }: RequestContext,
  validateOnly: boolean | null | undefined,
  save: (mode: 'validate' | 'save') => Promise<VersionOutcome>,
): Promise<VersionOutcome> => {
  const outcome = await save(validateOnly === true || purpose === 'check' ? 'validate' : 'save');
  if (purpose === 'check') {
    throw new AppError('VALIDATION_FAILED', 'the domain version is not valid', { errors: outcome.errors ?? [] });
  }
  return outcome;
};

/** Accepts the access that one of a version's two paths gives: `/domains/{d}/versions/{v}` or `/domains/versions/{v}`. */
const byEitherPath = <Args extends VersionArguments>(
  actions: DomainVersionActions,
  action: Action,
  suffixOf: (args: Args) => string,
  resolve: (version: DomainVersion, args: Args, context: RequestContext) => unknown,
  promises: FieldPromises = {},
) => {
  const access: FieldAccess = {
    mode: 'filter',
    action,
    resource: '/domains/{domainUuid}/versions/{domainVersionUuid}',
  };
  const resolvePermitted = async (args: Args, context: RequestContext) => {
    const { domainUuid, domainVersionUuid: uuid } = args;
    const suffix = suffixOf(args);
    const permitted = (domain: string | null | undefined) =>
      mayOnVersion(context.principal, action, { uuid, ...(domain ? { domainUuid: domain } : {}) }, suffix);
    const refusal = new AppError('FORBIDDEN', `${action} /domains/versions/${uuid}${suffix} is not granted to you`);
    if (domainUuid && !permitted(domainUuid)) throw refusal;
    let version: DomainVersion;
    try {
      version = await actions.read(domainUuid, uuid);
    } catch (error) {
      // a caller who may not use the path gets no information about the resources below it
      throw permitted(domainUuid) ? error : refusal;
    }
    if (!permitted(version.domainUuid)) throw refusal;
    return resolve(version, args, context);
  };
  return guarded<Args>(access, resolvePermitted, promises);
};

const itself = (): string => '';

/** Resolvers of the model and its matching algorithm. */
const modelFields = {
  modelSchema: ({ modelSchema }: DomainVersion) => new JsonText(modelSchema),
  matchingAlgorithm: ({ matchingAlgorithm }: DomainVersion) => {
    const definition = matchingAlgorithm === null ? exactAlgorithm : parseJson(matchingAlgorithm);
    return { type: (definition as { type: string }).type, definition };
  },
};

export const domainVersionResolvers = (database: Database, actions: DomainVersionActions, loadersOf: LoadersOf) => ({
  Query: {
    domainVersions: guarded<DomainVersionFilter & PageArguments>(
      { mode: 'filter', action: 'GET', resource: '/domains/{domainUuid}/versions/{domainVersionUuid}' },
      (args, { principal }) => listDomainVersions(database, args, requirePage(args), principal),
    ),
    versionsOfDomain: guarded<
      { readonly domainUuid: string } & Pick<DomainVersionFilter, 'versionNumber' | 'sort'> & PageArguments
    >(
      { mode: 'require', action: 'GET', resource: '/domains/{domainUuid}/versions' },
      ({ domainUuid, page, size, ...filter }) =>
        listVersionsOfDomain(database, domainUuid, filter, requirePage({ page, size })),
    ),
    domainVersion: byEitherPath<VersionArguments>(actions, 'GET', itself, (version) => version),
    domainVersionProperties: byEitherPath<VersionArguments & PageArguments & { readonly sort?: string | null }>(
      actions,
      'GET',
      () => '/properties',
      async (version, args) => {
        const page = requirePage(args);
        const terms = parseSort(args.sort, propertySortFields);
        const [listed = []] = await actions.listProperties([version]);
        const properties = sortProperties(listed, terms);
        const from = page.page * page.size;
        return toPaged(properties.slice(from, from + page.size), page, properties.length);
      },
    ),
    domainVersionProperty: byEitherPath<PropertyArguments>(
      actions,
      'GET',
      ({ propertyUuid }) => `/properties/${propertyUuid}`,
      (version, { propertyUuid }) => actions.readProperty(version, propertyUuid),
    ),
  },
  Mutation: {
    createDomainVersion: guarded<{
      readonly domainUuid: string;
      readonly input: DomainVersionInput;
      readonly validateOnly?: boolean | null;
    }>(
      { mode: 'require', action: 'POST', resource: '/domains/{domainUuid}/versions' },
      ({ domainUuid, input, validateOnly }, context) =>
        saved(context, validateOnly, (mode) => actions.create(domainUuid, input, mode, context.principal)),
      { checks: 'input' },
    ),
    replaceDomainVersion: byEitherPath<WriteArguments & { readonly validateOnly?: boolean | null }>(
      actions,
      'PUT',
      itself,
      (version, { input, validateOnly }, context) =>
        saved(context, validateOnly, (mode) => actions.replace(version, input, mode, context.principal)),
      { checks: 'input' },
    ),
    patchDomainVersion: byEitherPath<WriteArguments>(
      actions,
      'PATCH',
      itself,
      (version, { input }, context) => {
        const { principal } = context;
        // loading values changes records, which the right to change models does not include
        if (input.values !== undefined && input.values !== null) requirePermission(principal, 'PATCH', '/drs/?');
        return saved(context, false, (mode) => actions.patch(version, input, mode, principal));
      },
      { checks: 'input' },
    ),
    patchDomainVersionProperty: byEitherPath<PropertyArguments & PropertyPatch>(
      actions,
      'PATCH',
      ({ propertyUuid }) => `/properties/${propertyUuid}`,
      (version, { propertyUuid, ...patch }, { principal, purpose }) =>
        actions.describeProperty(version, propertyUuid, patch, principal, new FaultList(purpose)),
      { checks: 'input' },
    ),
  },
  DomainVersion: {
    domain: ({ domainUuid }: DomainVersion, _args: object, context: RequestContext) =>
      loadersOf(context).domain.load(domainUuid),
    domainSummary: ({ domainUuid }: DomainVersion, _args: object, context: RequestContext) =>
      loadersOf(context).domainSummary.load(domainUuid),
    ...modelFields,
    properties: (version: DomainVersion, _args: object, context: RequestContext) =>
      loadersOf(context).propertiesOf.load(version),
    __resolveReference: ({ uuid }: { uuid: string }, context: RequestContext) => loadersOf(context).version.load(uuid),
  },
  DefaultVersionSummary: modelFields,
});
