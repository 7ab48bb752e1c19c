import type pg from 'pg';

/**
 * Limits of one connection: the number of prepared statements, and the bytes of their texts. A prepared statement takes
 * about 50 KiB of memory on the server, and more for a long text.
 */
const maxStatements = 128;
const maxTextBytes = 2 ** 20;

/** Limits the prepared statements of the connections in a pool. */
export interface ConnectionStatements {
  /**
   * Makes room for a statement before it runs: deallocates the least recently used statements of the connection. Only
   * one call at a time is allowed for each connection.
   *
   * @returns the statement to run; without its name if its text is too long to be kept
   */
  admit(client: pg.PoolClient, statement: pg.QueryConfig): Promise<pg.QueryConfig>;
}

/** Prepared statements of a connection: the bytes of each text by name, the least recently used first. */
interface Kept {
  readonly bytesOf: Map<string, number>;
  bytes: number;
}

/** Texts of the statements that the client treats as prepared, by name. `pg` does not type them. */
const preparedOn = (client: object): object => {
  if (!('connection' in client) || typeof client.connection !== 'object' || client.connection === null) return {};
  const { connection } = client;
  const texts = 'parsedStatements' in connection ? connection.parsedStatements : undefined;
  return typeof texts === 'object' && texts !== null ? texts : {};
};

const deallocate = async (client: pg.PoolClient, name: string): Promise<void> => {
  const prepared = preparedOn(client);
  // a statement that failed may never have been prepared
  if (!Object.hasOwn(prepared, name)) return;
  await client.query(`DEALLOCATE ${client.escapeIdentifier(name)}`);
  // otherwise the client would execute the statement by its name
  Reflect.deleteProperty(prepared, name);
};

export const createConnectionStatements = (): ConnectionStatements => {
  const keptBy = new WeakMap<pg.PoolClient, Kept>();

  const forget = (kept: Kept, name: string): void => {
    kept.bytes -= kept.bytesOf.get(name) ?? 0;
    kept.bytesOf.delete(name);
  };
  const keep = (kept: Kept, name: string, bytes: number): void => {
    forget(kept, name);
    kept.bytes += bytes;
    kept.bytesOf.set(name, bytes);
  };

  return {
    admit: async (client, statement) => {
      const { name, ...unnamed } = statement;
      if (name === undefined) return statement;
      const kept = keptBy.get(client) ?? { bytesOf: new Map(), bytes: 0 };
      keptBy.set(client, kept);
      const known = kept.bytesOf.get(name);
      const bytes = known ?? Buffer.byteLength(statement.text);
      if (bytes > maxTextBytes) return unnamed;
      if (known === undefined) {
        for (const oldest of kept.bytesOf.keys()) {
          if (kept.bytesOf.size < maxStatements && kept.bytes + bytes <= maxTextBytes) break;
          await deallocate(client, oldest);
          forget(kept, oldest);
        }
      }
      keep(kept, name, bytes);
      return statement;
    },
  };
};
