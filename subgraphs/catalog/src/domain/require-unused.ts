import { AppError } from '@fds/errors';

/** The number of uses of each kind that prevent a resource from being deleted or renamed. */
export type Uses = Readonly<Record<string, number>>;

/** @throws AppError IN_USE with the number of uses */
export const requireUnused = (what: string, uses: Uses): void => {
  const present = Object.entries(uses).filter(([, count]) => count > 0);
  if (present.length === 0) return;
  const list = present.map(([name, count]) => `${count} ${name}`).join(', ');
  throw new AppError('IN_USE', `the ${what} has ${list}`, { details: { uses: Object.fromEntries(present) } });
};
