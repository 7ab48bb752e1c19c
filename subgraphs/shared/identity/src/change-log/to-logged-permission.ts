/** A permission in the change log, as REST shows it: only grants exist. */
export const toLoggedPermission = <Row extends { readonly uuid: string; readonly zoneUuid: string }>(row: Row) => ({
  ...row,
  type: 'ALLOW' as const,
});
