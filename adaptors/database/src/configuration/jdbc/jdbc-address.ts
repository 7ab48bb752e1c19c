/** `verify`: the adaptor verifies the certificate. */
export type Tls = 'off' | 'on' | 'verify';

/** A database on a server. */
export interface ServerAddress {
  readonly dialect: 'postgresql' | 'mysql' | 'mssql' | 'oracle';
  readonly host: string;
  readonly port: number;
  /** Oracle: the service name, or a colon and the SID. */
  readonly database: string;
  readonly user?: string;
  readonly password?: string;
  /** Default schemas, for tables without a schema. */
  readonly schema?: string;
  readonly tls: Tls;
}

/** A database, as its JDBC URL describes it. */
export type JdbcAddress = ServerAddress | { readonly dialect: 'sqlite'; readonly file: string };

/** An address without undefined members. */
export const serverAddress = (
  address: Omit<ServerAddress, 'user' | 'password' | 'schema'> & {
    readonly user?: string | null | undefined;
    readonly password?: string | null | undefined;
    readonly schema?: string | null | undefined;
  },
): ServerAddress => {
  const { user, password, schema, ...rest } = address;
  return {
    ...rest,
    ...(user == null ? {} : { user }),
    ...(password == null ? {} : { password }),
    ...(schema == null ? {} : { schema }),
  };
};

export const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

export const isPort = (text: string | undefined): boolean => text === undefined || Number(text) <= 65_535;
