import { codeOf } from './code-of.js';

/** A port that a setting names. */
export interface PortSetting {
  readonly variable: string;
  readonly port: number;
  readonly host: string;
}

const reasons: Readonly<Record<string, (setting: PortSetting) => string>> = {
  EADDRINUSE: ({ variable, port, host }) =>
    `${variable}: port ${port} of ${host} is in use by another program; set another port, or 0 for any free one`,
  EACCES: ({ variable, port }) => `${variable}: this user may not listen on port ${port}`,
  EADDRNOTAVAIL: ({ host }) => `FDS_HOST: ${host} is not an address of this machine`,
  ENOTFOUND: ({ host }) => `FDS_HOST: ${host} is not a known host`,
};

/**
 * Opens a server on the port of a setting.
 *
 * @param open listens on the port
 * @throws Error that names the setting when the port cannot be used
 */
export const bindPort = async <T>(setting: PortSetting, open: () => Promise<T>): Promise<T> => {
  try {
    return await open();
  } catch (error) {
    const code = codeOf(error);
    const reason = reasons[code];
    throw reason === undefined ? error : new Error(reason(setting), { cause: error });
  }
};
