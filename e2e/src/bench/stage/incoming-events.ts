import { randomUUID } from 'node:crypto';
import { discoveredVersion } from './discovered-table.js';

/** An event for a record, with placeholders for its number. */
export const incomingEvent = (
  version: { readonly domain: string; readonly domainVersionUuid: string },
  json: object,
) => ({
  action: 'POST',
  drUuid: '00000000-0000-4000-8000-%U%',
  domain: version.domain,
  version: 1,
  domainVersionUuid: version.domainVersionUuid,
  sourceAdaptorUuid: randomUUID(),
  destinationAdaptorUuid: randomUUID(),
  transactionUuid: randomUUID(),
  createTime: Date.now(),
  drKey: JSON.stringify(['%N%']),
  jsonData: JSON.stringify(json),
  messageGroup: '%N%',
});

/** A new row of the table of discovered-table.ts. */
export const customerEvent = incomingEvent(discoveredVersion, {
  customerId: '%N%',
  firstName: 'First %N%',
  lastName: 'Last %N%',
  email: 'c%N%@example.org',
  company: 'Company',
  street: '%N% Main Street',
  city: 'City',
  postalCode: '00001',
  born: '1950-01-01',
  credit: 1.25,
});

/** A change of three properties of the same row. It repeats the others. */
export const customerChange = {
  ...incomingEvent(discoveredVersion, {
    customerId: '%N%',
    firstName: 'First %N%',
    lastName: 'Changed %N%',
    email: 'c%N%@example.org',
    company: 'Company',
    street: '%N% Main Street',
    city: 'Other city',
    postalCode: '00001',
    born: '1950-01-01',
    credit: 2.5,
  }),
  action: 'PUT',
  changed: ['lastName', 'city', 'credit'],
};
