import { allActions, createAdaptor, createVersion, rootZone, type CreatedAdaptor } from '../../harness/catalogue.js';
import { customerProperties } from './customer.js';
import type { Stage } from './open-stage.js';

/** A federated domain of customers, version 1. */
export interface CustomerDomain {
  readonly zoneUuid: string;
  /** Creates an adaptor with all actions of the version. */
  createAdaptor(name: string): Promise<CreatedAdaptor>;
}

/** @param more properties in addition to `customerProperties` */
export const createCustomerDomain = async (
  { steward }: Pick<Stage, 'steward'>,
  name: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<CustomerDomain> => {
  await createVersion(steward, {
    name,
    domainType: 'FEDERATED',
    properties: { ...customerProperties, ...more },
    drKeyProperties: ['id'],
  });
  const zoneUuid = await rootZone(steward);
  return {
    zoneUuid,
    createAdaptor: (adaptorName) =>
      createAdaptor(steward, zoneUuid, { name: adaptorName, capabilities: allActions(name) }),
  };
};
