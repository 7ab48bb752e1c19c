import { guarded, requirePage, type FieldAccess } from '@fds/graphql';
import type { GivenChangeVersion } from '@fds/errors';
import type { ChangeOf, InputOf, OperationalAclContent } from '../domain/acls/acl-content.js';
import type { Placement } from '../domain/acls/placement.js';
import type { AclMetrics } from '../actions/acls/acl-metrics.js';
import type { OperationalAclFilter, OperationalAclActions } from '../actions/acls/operational-acl-actions.js';
import { authorOf } from './zone-acl-resolvers.js';

interface ListArguments extends OperationalAclFilter {
  readonly page?: number | null;
  readonly size?: number | null;
}

interface EntryArguments {
  readonly operationalAclUuid: string;
}

const collection = '/operational-acls/entries';
const entry = `${collection}/{operationalAclUuid}`;
const access = (action: FieldAccess['action'], resource: string): FieldAccess => ({
  mode: 'require',
  action,
  resource,
});

/** Resolvers for the deployment's operational chain, and for the metrics of all chains. */
export const operationalAclResolvers = (actions: OperationalAclActions, metrics: AclMetrics) => {
  const change = (action: 'PUT' | 'PATCH') =>
    guarded<EntryArguments & { readonly input: ChangeOf<OperationalAclContent> }>(
      access(action, entry),
      ({ operationalAclUuid, input }, context) =>
        actions.change(operationalAclUuid, { action, input }, authorOf(context)),
      { checks: 'input' },
    );
  return {
    Query: {
      operationalAcls: guarded<ListArguments>(access('GET', collection), ({ page, size, ...filter }) =>
        actions.list(filter, requirePage({ page: page ?? null, size: size ?? null })),
      ),
      operationalAcl: guarded<EntryArguments>(access('GET', entry), ({ operationalAclUuid }) =>
        actions.read(operationalAclUuid),
      ),
      operationalAclCheck: guarded<Placement & { readonly input: InputOf<OperationalAclContent> }>(
        access('POST', '/operational-acls/check'),
        ({ input, ...placement }, context) => actions.check(input, placement, authorOf(context)),
        { checks: 'input' },
      ),
      zoneAclMetrics: guarded<{ readonly zoneUuid: string }>(
        access('GET', '/zones/{zoneUuid}/acls/metrics'),
        ({ zoneUuid }) => metrics.ofZone(zoneUuid),
      ),
      operationalAclMetrics: guarded(access('GET', '/operational-acls/metrics'), () => metrics.ofOperations()),
    },
    Mutation: {
      createOperationalAcls: guarded<Placement & { readonly inputs: readonly InputOf<OperationalAclContent>[] }>(
        access('POST', collection),
        ({ inputs, append, position }, context) =>
          actions.create(inputs, { append: append ?? null, position: position ?? null }, authorOf(context)),
        { checks: 'input' },
      ),
      replaceOperationalAcl: change('PUT'),
      patchOperationalAcl: change('PATCH'),
      deleteOperationalAcl: guarded<EntryArguments & { readonly changeVersion?: GivenChangeVersion }>(
        access('DELETE', entry),
        async ({ operationalAclUuid, changeVersion }, context) => {
          await actions.remove(operationalAclUuid, changeVersion, authorOf(context));
          return true;
        },
      ),
    },
  };
};
