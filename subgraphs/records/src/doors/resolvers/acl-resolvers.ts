import { guarded } from '@fds/graphql';
import { dryRunAcls, type DryRunArguments } from '../../writing/writes/resolvers/dry-run-acls.js';
import { listAclRecords, type AclRecordsArguments } from '../../reading/listing/resolvers/list-acl-records.js';
import type { ListingAccess } from '../../reading/listing/resolvers/list-data-records.js';
import type { RecordsWriting } from '../../writing/writes/resolvers/require-written.js';

/** Record operations around the ACL chains of zones. */
export const createAclResolvers = (access: RecordsWriting & ListingAccess) => ({
  inboundAclRecords: guarded<AclRecordsArguments & { readonly zoneUuid: string; readonly inboundAclUuid: string }>(
    { mode: 'require', action: 'GET', resource: '/zones/{zoneUuid}/inbound-acls/{inboundAclUuid}/drs' },
    ({ zoneUuid, inboundAclUuid: aclUuid, ...args }, context) =>
      listAclRecords(access, { zoneUuid, chain: 'INBOUND', aclUuid }, args, context),
  ),
  outboundAclRecords: guarded<AclRecordsArguments & { readonly zoneUuid: string; readonly outboundAclUuid: string }>(
    { mode: 'require', action: 'GET', resource: '/zones/{zoneUuid}/outbound-acls/{outboundAclUuid}/drs' },
    ({ zoneUuid, outboundAclUuid: aclUuid, ...args }, context) =>
      listAclRecords(access, { zoneUuid, chain: 'OUTBOUND', aclUuid }, args, context),
  ),
  aclDryRun: guarded<DryRunArguments>(
    { mode: 'require', action: 'POST', resource: '/zones/{zoneUuid}/acls/dry-run' },
    (args, context) => dryRunAcls(access, args, context),
  ),
});
