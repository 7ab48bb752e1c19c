import type { PrismaTransaction } from '@fds/database';
import { filterText, parseSort, readPage, type Paged, type PageRequest } from '@fds/graphql';
import type { User } from '../../../domain/identity/user.js';
import { toUser, userRow } from './user-rows.js';

export interface UserFilter {
  readonly userUuid?: string | null;
  readonly username?: string | null;
  readonly name?: string | null;
  readonly email?: string | null;
  readonly ssoId?: string | null;
  readonly active?: boolean | null;
  readonly serviceAccount?: boolean | null;
  readonly roleUuid?: string | null;
  readonly groupUuid?: string | null;
  readonly sort?: string | null;
}

const ofPerson = ['username', 'name', 'email'];
const sortFields = [...ofPerson, 'active', 'dateCreated', 'lastUpdated'];

const orderOfUsers = (sort: string | null | undefined) => {
  const asked = parseSort(sort, sortFields);
  const terms = asked.length > 0 ? asked : [{ field: 'username', descending: false }];
  const order = terms.map(({ field, descending }) => {
    const direction = descending ? ('desc' as const) : ('asc' as const);
    return ofPerson.includes(field) ? { person: { [field]: direction } } : { [field]: direction };
  });
  return [...order, { uuid: 'asc' as const }];
};

const textFilters = ['username', 'name', 'email', 'ssoId'] as const;

/** A page of the users of zones. @throws AppError INVALID_PARAMETER for what they cannot be sorted by */
export const listUsers = async (
  tx: PrismaTransaction,
  zoneUuids: readonly string[],
  filter: UserFilter,
  page: PageRequest,
): Promise<Paged<User>> => {
  const orderBy = orderOfUsers(filter.sort);
  const person: Record<string, unknown> = {};
  for (const name of textFilters) {
    const text = filterText(name, filter[name]);
    if (text !== undefined) person[name] = text;
  }
  const { userUuid, active, serviceAccount, roleUuid, groupUuid } = filter;
  if (typeof serviceAccount === 'boolean') person['serviceAccount'] = serviceAccount;
  const where = {
    zoneUuid: { in: [...zoneUuids] },
    ...(Object.keys(person).length > 0 ? { person } : {}),
    ...(userUuid ? { personUuid: userUuid } : {}),
    ...(typeof active === 'boolean' ? { active } : {}),
    ...(roleUuid ? { roles: { some: { roleUuid } } } : {}),
    ...(groupUuid ? { groups: { some: { groupUuid } } } : {}),
  };
  return readPage(
    page,
    () => tx.zoneUser.count({ where }),
    async (range) => (await tx.zoneUser.findMany({ where, orderBy, include: userRow, ...range })).map(toUser),
  );
};
