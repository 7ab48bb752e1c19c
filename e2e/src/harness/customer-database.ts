import { createEmptyDatabase, type EmptyDatabase } from '@fds/database/testing';

/** An empty PostgreSQL database of a customer, on the server of the test run. */
export const createCustomerDatabase = (): Promise<EmptyDatabase> => createEmptyDatabase();
