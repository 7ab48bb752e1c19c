const pattern = /^\.fds-[0-9a-f-]{36}\.part$/;

/** Name of an incomplete copy. */
export const temporaryName = (token: string): string => `.fds-${token}.part`;

/** Is the file an incomplete copy of an adaptor? Such files are never monitored. */
export const isTemporaryName = (name: string): boolean => pattern.test(name);
