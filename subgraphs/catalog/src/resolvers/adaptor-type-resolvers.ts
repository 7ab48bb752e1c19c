import { guarded, requirePage } from '@fds/graphql';
import { FaultList, type GivenChangeVersion } from '@fds/errors';
import type { AdaptorTypeInput } from '../domain/adaptors/adaptor-type.js';
import type { AdaptorTypeFilter, AdaptorTypeActions } from '../actions/adaptor-types/adaptor-type-actions.js';
import type { LoadersOf } from './loaders.js';

interface TypeArguments {
  readonly adaptorTypeUuid: string;
}

interface WriteArguments extends TypeArguments {
  readonly input: AdaptorTypeInput;
}

const one = '/adaptor-types/{adaptorTypeUuid}';

export const adaptorTypeResolvers = (actions: AdaptorTypeActions, loadersOf: LoadersOf) => ({
  Query: {
    adaptorTypes: guarded<AdaptorTypeFilter & { readonly page?: number | null; readonly size?: number | null }>(
      { mode: 'filter', action: 'GET', resource: one },
      (args, { principal }) => actions.list(args, requirePage(args), principal),
    ),
    adaptorType: guarded<TypeArguments>({ mode: 'require', action: 'GET', resource: one }, ({ adaptorTypeUuid }) =>
      actions.read(adaptorTypeUuid),
    ),
  },
  Mutation: {
    createAdaptorType: guarded<{ readonly input: AdaptorTypeInput }>(
      { mode: 'require', action: 'POST', resource: '/adaptor-types' },
      ({ input }, { principal, purpose }) => actions.create(input, principal, new FaultList(purpose)),
      { checks: 'input' },
    ),
    replaceAdaptorType: guarded<WriteArguments>(
      { mode: 'require', action: 'PUT', resource: one },
      ({ adaptorTypeUuid, input }, { principal, purpose }) =>
        actions.replace(adaptorTypeUuid, input, principal, new FaultList(purpose)),
      { checks: 'input' },
    ),
    patchAdaptorType: guarded<WriteArguments>(
      { mode: 'require', action: 'PATCH', resource: one },
      ({ adaptorTypeUuid, input }, { principal, purpose }) =>
        actions.patch(adaptorTypeUuid, input, principal, new FaultList(purpose)),
      { checks: 'input' },
    ),
    deleteAdaptorType: guarded<TypeArguments & { readonly changeVersion?: GivenChangeVersion }>(
      { mode: 'require', action: 'DELETE', resource: one },
      async ({ adaptorTypeUuid, changeVersion }, { principal }) => {
        await actions.remove(adaptorTypeUuid, changeVersion, principal);
        return true;
      },
    ),
  },
  AdaptorType: {
    __resolveReference: ({ uuid }: { uuid: string }, context: Parameters<LoadersOf>[0]) =>
      loadersOf(context).adaptorType.load(uuid),
  },
});
