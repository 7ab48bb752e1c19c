import type { PrismaTransaction } from '@fds/database';
import { filterText, parseSort, readPage, type Paged, type PageRequest } from '@fds/graphql';
import { toUser, userRow } from '@fds/identity';
import type { User } from '../../../domain/identity/user.js';

/** Rows of a page. */
interface Range {
  readonly skip: number;
  readonly take: number;
}

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

const toldColumn = { username: 'toldUsername', name: 'toldName', email: 'toldEmail', ssoId: 'toldSsoId' } as const;

type PersonColumn = keyof typeof toldColumn;
type Term = ReturnType<typeof parseSort>[number];

const termsOf = (sort: string | null | undefined): readonly Term[] => {
  const asked = parseSort(sort, sortFields);
  return asked.length > 0 ? asked : [{ field: 'username', descending: false }];
};

/** @param of the users that the zone knows, or those that it sees by the data that it sent itself */
const orderOfUsers = (terms: readonly Term[], of: 'known' | 'told') => [
  ...terms.map(({ field, descending }) => {
    const direction = descending ? ('desc' as const) : ('asc' as const);
    if (!ofPerson.includes(field)) return { [field]: direction };
    return of === 'known' ? { person: { [field]: direction } } : { [toldColumn[field as PersonColumn]]: direction };
  }),
  { uuid: 'asc' as const },
];

const textFilters = ['username', 'name', 'email', 'ssoId'] as const;

/** Values of the filter, by column of the person. */
const readTexts = (filter: UserFilter): readonly (readonly [PersonColumn, string])[] =>
  textFilters.flatMap((name) => {
    const text = filterText(name, filter[name]);
    return text === undefined ? [] : [[name, text] as const];
  });

/**
 * A page of the users of zones. Users whom a zone does not know are found and ordered by the data that the zone sent
 * itself. They follow the others when the order is by data of persons.
 *
 * @throws AppError INVALID_PARAMETER for an unknown sort key
 */
export const listUsers = async (
  tx: PrismaTransaction,
  zoneUuids: readonly string[],
  filter: UserFilter,
  page: PageRequest,
): Promise<Paged<User>> => {
  const terms = termsOf(filter.sort);
  const texts = readTexts(filter);
  const { userUuid, active, serviceAccount, roleUuid, groupUuid } = filter;
  const every = {
    zoneUuid: { in: [...zoneUuids] },
    ...(typeof serviceAccount === 'boolean' ? { person: { serviceAccount } } : {}),
    ...(userUuid ? { personUuid: userUuid } : {}),
    ...(typeof active === 'boolean' ? { active } : {}),
    ...(roleUuid ? { roles: { some: { roleUuid } } } : {}),
    ...(groupUuid ? { groups: { some: { groupUuid } } } : {}),
  };
  const known = { AND: [every, { knowsPerson: true, person: Object.fromEntries(texts) }] };
  const ofTexts = texts.map(([name, text]) => [toldColumn[name], text] as const);
  const told = { AND: [every, { knowsPerson: false, ...Object.fromEntries(ofTexts) }] };
  const find = async (where: object, of: 'known' | 'told', range: Range): Promise<readonly User[]> => {
    const orderBy = orderOfUsers(terms, of);
    return (await tx.zoneUser.findMany({ where, orderBy, include: userRow, ...range })).map(toUser);
  };
  const isOrderOfPersons = terms.some(({ field }) => ofPerson.includes(field));
  return readPage(
    page,
    () => tx.zoneUser.count({ where: { OR: [known, told] } }),
    async ({ skip, take }) => {
      if (!isOrderOfPersons) return find({ OR: [known, told] }, 'known', { skip, take });
      const first = await find(known, 'known', { skip, take });
      if (first.length === take) return first;
      const before = Math.max(0, skip - (await tx.zoneUser.count({ where: known })));
      return [...first, ...(await find(told, 'told', { skip: before, take: take - first.length }))];
    },
  );
};
