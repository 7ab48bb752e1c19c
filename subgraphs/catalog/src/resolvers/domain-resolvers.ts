import { guarded, requirePage, type RequestContext } from '@fds/graphql';
import { FaultList } from '@fds/errors';
import type { Domain, DomainInput } from '../domain/domains/domain.js';
import type { DomainFilter, DomainActions } from '../actions/domains/domain-actions.js';
import type { LoadersOf } from './loaders.js';

interface DomainArguments {
  readonly domainUuid: string;
}

interface WriteArguments extends DomainArguments {
  readonly input: DomainInput;
}

const one = '/domains/{domainUuid}';

export const domainResolvers = (actions: DomainActions, loadersOf: LoadersOf) => {
  const defaultVersion = ({ defaultVersionUuid }: Domain, _args: object, context: RequestContext) =>
    defaultVersionUuid === null ? null : loadersOf(context).version.load(defaultVersionUuid);
  const versionSummaries = ({ uuid }: Domain, _args: object, context: RequestContext) =>
    loadersOf(context).versionSummaries.load(uuid);
  const defaultVersionSummary = async (domain: Domain, args: object, context: RequestContext) =>
    (await versionSummaries(domain, args, context)).find(({ uuid }) => uuid === domain.defaultVersionUuid) ?? null;
  return {
    Query: {
      domains: guarded<DomainFilter & { readonly page?: number | null; readonly size?: number | null }>(
        { mode: 'filter', action: 'GET', resource: one },
        (args, { principal }) => actions.list(args, requirePage(args), principal),
      ),
      domain: guarded<DomainArguments>({ mode: 'require', action: 'GET', resource: one }, ({ domainUuid }) =>
        actions.read(domainUuid),
      ),
    },
    Mutation: {
      createDomain: guarded<{ readonly input: DomainInput }>(
        { mode: 'require', action: 'POST', resource: '/domains' },
        ({ input }, { principal, purpose }) => actions.create(input, principal, new FaultList(purpose)),
        { checks: 'input' },
      ),
      replaceDomain: guarded<WriteArguments>(
        { mode: 'require', action: 'PUT', resource: one },
        ({ domainUuid, input }, { principal, purpose }) =>
          actions.replace(domainUuid, input, principal, new FaultList(purpose)),
        { checks: 'input' },
      ),
      patchDomain: guarded<WriteArguments>(
        { mode: 'require', action: 'PATCH', resource: one },
        ({ domainUuid, input }, { principal, purpose }) =>
          actions.patch(domainUuid, input, principal, new FaultList(purpose)),
        { checks: 'input' },
      ),
    },
    Domain: {
      defaultVersion,
      defaultVersionSummary,
      defaultVersionNumber: async (domain: Domain, args: object, context: RequestContext) =>
        (await defaultVersionSummary(domain, args, context))?.versionNumber ?? null,
      versions: ({ uuid }: Domain, _args: object, context: RequestContext) => loadersOf(context).versionsOf.load(uuid),
      versionSummaries,
      versionCount: async (domain: Domain, args: object, context: RequestContext) =>
        (await versionSummaries(domain, args, context)).length,
      __resolveReference: ({ uuid }: { uuid: string }, context: RequestContext) => loadersOf(context).domain.load(uuid),
    },
  };
};
