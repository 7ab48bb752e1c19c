import { AppError } from '@fds/errors';
import { JsonText, requirePage } from '@fds/graphql';
import { findLink } from '../store/find-link.js';
import { countEvents, listEvents, loadDestinations } from '../store/list-data-events.js';
import type { RecordsAccess } from './list-data-records.js';

/** The link of a record at an adaptor. @throws AppError NOT_FOUND where the server holds none */
export const getRecordLink = async (
  { database }: RecordsAccess,
  { drUuid, adaptorUuid }: { readonly drUuid: string; readonly adaptorUuid: string },
) => {
  const link = await findLink(database.pool, drUuid, adaptorUuid);
  if (link === undefined) throw new AppError('NOT_FOUND', 'no link of the record at the adaptor is known');
  return { ...link, drKey: new JsonText(link.drKey) };
};

/** Data events of a record, newest first; they outlive the record. @throws AppError NOT_FOUND where there is neither */
export const listDataEvents = async (
  { database }: RecordsAccess,
  args: { readonly drUuid: string; readonly page?: number | null; readonly size?: number | null },
) => {
  const { pool } = database;
  const { page, size } = requirePage(args);
  const { total, recordExists } = await countEvents(pool, args.drUuid);
  if (total === 0 && !recordExists) throw new AppError('NOT_FOUND', 'there is no such data record');
  const events = await listEvents(pool, args.drUuid, { offset: page * size, limit: size });
  const destinations = await loadDestinations(
    pool,
    events.map(({ uuid }) => uuid),
  );
  return {
    data: events.map((event) => ({
      ...event,
      drKey: new JsonText(event.drKey),
      destinations: destinations.get(event.uuid) ?? [],
    })),
    page: { page, size, totalElements: total, totalPages: Math.ceil(total / size) },
  };
};
