import type { Chain } from '@fds/governance-rules';
import { guarded, requirePage, type FieldAccess, type RequestContext } from '@fds/graphql';
import type { GivenChangeVersion } from '@fds/errors';
import type { ChangeOf, InputOf, ZoneAclContent } from '../domain/acls/acl-content.js';
import { chainNames } from '../domain/acls/chain.js';
import type { Placement } from '../domain/acls/placement.js';
import type { AttachedRecords } from '../actions/acls/attached-records.js';
import type { Author, ZoneAclFilter, ZoneAclActions } from '../actions/acls/zone-acl-actions.js';

interface ListArguments extends ZoneAclFilter {
  readonly zoneUuid: string;
  readonly page?: number | null;
  readonly size?: number | null;
}

interface Strictness {
  readonly strict?: boolean | null;
}

interface CreateArguments extends Placement, Strictness {
  readonly zoneUuid: string;
  readonly inputs: readonly InputOf<ZoneAclContent>[];
}

/** The actor of a change. */
export const authorOf = ({ principal, purpose }: RequestContext, strict?: boolean | null): Author => ({
  actorUuid: principal.uuid,
  dataAccess: principal.dataAccess,
  purpose,
  strictFor:
    strict === true
      ? ({ uuid, domainUuid }) =>
          principal.permits('GET', '/domains/versions') ||
          principal.permits('GET', `/domains/versions/${uuid}`) ||
          principal.permits('GET', `/domains/${domainUuid}/versions/${uuid}`)
      : undefined,
});

/** Root fields of one chain, with the names of the schema. */
const chainResolvers = (
  actions: ZoneAclActions,
  records: AttachedRecords,
  chain: Chain,
  word: 'inbound' | 'outbound',
) => {
  const argument = `${word}AclUuid` as const;
  type EntryArguments = { readonly zoneUuid: string } & Readonly<Record<typeof argument, string>>;
  type ChangeArguments = EntryArguments & Strictness & { readonly input: ChangeOf<ZoneAclContent> };
  const collection = `/zones/{zoneUuid}/${chainNames[chain].collection}`;
  const entry = `${collection}/{${argument}}`;
  const access = (action: FieldAccess['action'], resource: string): FieldAccess => ({
    mode: 'require',
    action,
    resource,
  });
  const { resourceType } = chainNames[chain];
  const change = (action: 'PUT' | 'PATCH') =>
    guarded<ChangeArguments>(
      access(action, entry),
      (args, context) =>
        actions.change(
          { zoneUuid: args.zoneUuid, chain },
          args[argument],
          { action, input: args.input },
          authorOf(context, args.strict),
        ),
      { checks: 'input' },
    );
  return {
    Query: {
      [`${word}Acls`]: guarded<ListArguments>(access('GET', collection), ({ zoneUuid, page, size, ...filter }) =>
        actions.list({ zoneUuid, chain }, filter, requirePage({ page: page ?? null, size: size ?? null })),
      ),
      [`${word}Acl`]: guarded<EntryArguments>(access('GET', entry), (args) =>
        actions.read({ zoneUuid: args.zoneUuid, chain }, args[argument]),
      ),
    },
    Mutation: {
      [`create${resourceType}s`]: guarded<CreateArguments>(
        access('POST', collection),
        ({ zoneUuid, inputs, strict, ...placement }, context) =>
          actions.create({ zoneUuid, chain }, inputs, placement, authorOf(context, strict)),
        { checks: 'input' },
      ),
      [`replace${resourceType}`]: change('PUT'),
      [`patch${resourceType}`]: change('PATCH'),
      [`delete${resourceType}`]: guarded<EntryArguments & { readonly changeVersion?: GivenChangeVersion }>(
        access('DELETE', entry),
        async (args, context) => {
          const { zoneUuid, changeVersion } = args;
          await actions.remove({ zoneUuid, chain }, args[argument], changeVersion, authorOf(context));
          return true;
        },
      ),
      [`add${resourceType}Records`]: guarded<EntryArguments & { readonly drUuids: readonly string[] }>(
        access('POST', `${entry}/drs`),
        async (args, context) => {
          const { zoneUuid, drUuids } = args;
          await records.attach({ zoneUuid, chain }, args[argument], drUuids, authorOf(context));
          return [...new Set(drUuids)].map((uuid) => ({ uuid }));
        },
        { checks: 'input' },
      ),
      [`remove${resourceType}Record`]: guarded<EntryArguments & { readonly drUuid: string }>(
        access('DELETE', `${entry}/drs/{drUuid}`),
        async (args, context) => {
          await records.detach({ zoneUuid: args.zoneUuid, chain }, args[argument], args.drUuid, authorOf(context));
          return true;
        },
      ),
    },
  };
};

/** Resolvers for the zones' inbound and outbound chains. */
export const zoneAclResolvers = (actions: ZoneAclActions, records: AttachedRecords) => {
  const inbound = chainResolvers(actions, records, 'INBOUND', 'inbound');
  const outbound = chainResolvers(actions, records, 'OUTBOUND', 'outbound');
  return {
    Query: { ...inbound.Query, ...outbound.Query },
    Mutation: { ...inbound.Mutation, ...outbound.Mutation },
  };
};
