import { requireStatus } from '../../harness/catalogue.js';
import type { DoorsOfTests } from '../set-up-doors.js';

interface SignInData {
  readonly username: string;
  readonly password: string;
}

type Doors = DoorsOfTests['doors'];

/** A new person of the zone Root without a permission. */
export const createPerson = async ({ admin, root }: Doors, username: string): Promise<SignInData> => {
  const person = { username, name: username, password: 'correct horse battery staple 7' };
  requireStatus(await admin.rest('POST', `/zones/${root}/users`, person), 201);
  return person;
};

/** A new service account of the zone Root without a permission. */
export const createServiceAccount = async ({ admin, root }: Doors, username: string): Promise<SignInData> => {
  const { body } = requireStatus(
    await admin.rest('POST', `/zones/${root}/users`, { username, serviceAccount: true }),
    201,
  );
  return { username, password: String(body['clientSecret']) };
};
