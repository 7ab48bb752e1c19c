import type { Principal } from '@fds/auth';
import type { PrismaTransaction } from '@fds/database';

/** Whether a person or adaptor exists, as the transaction sees it: the directory may notice a removal later. */
export const holderExists = async (tx: PrismaTransaction, { kind, uuid }: Principal): Promise<boolean> => {
  const where = { uuid };
  return (kind === 'PERSON' ? await tx.person.count({ where }) : await tx.adaptor.count({ where })) > 0;
};
