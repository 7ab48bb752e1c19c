import type { PrismaTransaction } from '@fds/database';
import { AppError } from '@fds/errors';

interface NameWhere {
  readonly zoneUuid: string;
  readonly name: { readonly equals: string; readonly mode: 'insensitive' };
  readonly uuid?: { readonly not: string };
}

type Kind = 'role' | 'group';

const finders: Readonly<
  Record<Kind, (tx: PrismaTransaction, where: NameWhere) => Promise<{ readonly uuid: string } | null>>
> = {
  role: (tx, where) => tx.role.findFirst({ where, select: { uuid: true } }),
  group: (tx, where) => tx.userGroup.findFirst({ where, select: { uuid: true } }),
};

/** @throws AppError DUPLICATE_NAME when another resource of the zone has the name, ignoring case */
export const requireNameFree = async (
  tx: PrismaTransaction,
  kind: Kind,
  { zoneUuid, name, uuid }: { readonly zoneUuid: string; readonly name: string; readonly uuid?: string },
): Promise<void> => {
  // `equals` ignoring case is a LIKE in SQL, so special characters are escaped
  const equals = name.replaceAll(/[\\%_]/g, String.raw`\$&`);
  const others = uuid === undefined ? {} : { uuid: { not: uuid } };
  const found = await finders[kind](tx, { zoneUuid, name: { equals, mode: 'insensitive' }, ...others });
  if (found === null) return;
  throw new AppError('DUPLICATE_NAME', `the zone has a ${kind} named ${name}`, {
    errors: [{ pointer: '/name', code: 'DUPLICATE_NAME', detail: 'names of a zone differ, ignoring case' }],
  });
};
