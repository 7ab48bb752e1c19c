import type { Chain } from '@fds/governance-rules';
import { guarded, requirePage, type FieldAccess } from '@fds/graphql';
import type { AclInput, Placement } from '../domain/acl-input.js';
import { chainNames } from '../domain/chain.js';
import type { AclStore } from '../store/acl-store.js';

interface ListArguments {
  readonly zoneUuid: string;
  readonly page?: number | null;
  readonly size?: number | null;
  readonly sort?: string | null;
}

interface CreateArguments extends Placement {
  readonly zoneUuid: string;
  readonly inputs: readonly AclInput[];
}

/** Root fields of one chain, under the words of the schema. */
const chainResolvers = (store: AclStore, chain: Chain, word: 'inbound' | 'outbound') => {
  const argument = `${word}AclUuid` as const;
  type EntryArguments = { readonly zoneUuid: string } & Readonly<Record<typeof argument, string>>;
  const collection = `/zones/{zoneUuid}/${chainNames[chain].collection}`;
  const access = (action: FieldAccess['action'], resource: string): FieldAccess => ({
    mode: 'require',
    action,
    resource,
  });
  const { resourceType } = chainNames[chain];
  return {
    Query: {
      [`${word}Acls`]: guarded<ListArguments>(access('GET', collection), ({ zoneUuid, sort, ...page }) =>
        store.list({ zoneUuid, chain }, sort, requirePage(page)),
      ),
      [`${word}Acl`]: guarded<EntryArguments>(access('GET', `${collection}/{${argument}}`), (args) =>
        store.read({ zoneUuid: args.zoneUuid, chain }, args[argument]),
      ),
    },
    Mutation: {
      [`create${resourceType}s`]: guarded<CreateArguments>(
        access('POST', collection),
        ({ zoneUuid, inputs, ...placement }, { principal, purpose }) =>
          store.create({ zoneUuid, chain }, inputs, placement, { actorUuid: principal.uuid, purpose }),
        { checks: 'input' },
      ),
      [`delete${resourceType}`]: guarded<EntryArguments & { readonly changeVersion?: number | bigint | null }>(
        access('DELETE', `${collection}/{${argument}}`),
        async (args, { principal }) => {
          const { zoneUuid, changeVersion } = args;
          await store.remove({ zoneUuid, chain }, args[argument], changeVersion, principal.uuid);
          return true;
        },
      ),
    },
  };
};

/** The zones' inbound and outbound chains. */
export const aclResolvers = (store: AclStore) => {
  const inbound = chainResolvers(store, 'INBOUND', 'inbound');
  const outbound = chainResolvers(store, 'OUTBOUND', 'outbound');
  return {
    Query: { ...inbound.Query, ...outbound.Query },
    Mutation: { ...inbound.Mutation, ...outbound.Mutation },
  };
};
