/** Tells the server that the operation is only to be checked; see `RequestContext.purpose`. */
export const purposeHeader = 'x-fds-purpose';
