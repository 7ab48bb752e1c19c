/** Tells the server to check the operation without executing it; see `RequestContext.purpose`. */
export const purposeHeader = 'x-fds-purpose';
