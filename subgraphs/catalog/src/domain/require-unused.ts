import { AppError } from '@fds/errors';

/** Uses that keep a resource from being deleted or renamed, counted. */
export type Uses = Readonly<Record<string, number>>;

/** @throws AppError IN_USE that counts the uses */
export const requireUnused = (what: string, uses: Uses): void => {
  const present = Object.entries(uses).filter(([, count]) => count > 0);
  if (present.length === 0) return;
  const list = present.map(([name, count]) => `${count} ${name}`).join(', ');
  throw new AppError('IN_USE', `the ${what} has ${list}`, { details: { uses: Object.fromEntries(present) } });
};
