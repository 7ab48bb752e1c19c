const pattern = /^\.fds-[0-9a-f-]{36}\.part$/;

/** Name of a copy that is not whole yet. */
export const temporaryName = (token: string): string => `.fds-${token}.part`;

/** Is it a copy of an adaptor that is not whole yet? Such files are never monitored. */
export const isTemporaryName = (name: string): boolean => pattern.test(name);
