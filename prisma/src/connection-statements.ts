import type pg from 'pg';

/** One connection keeps at most so many statements prepared, with so many bytes of text. A prepared statement takes some 50 KiB of the server, more for a long text. */
const maxStatements = 128;
const maxTextBytes = 2 ** 20;

/** Bounds the statements that the connections of a pool keep prepared. */
export interface ConnectionStatements {
  /**
   * Makes room for a statement before it runs: the statements of the connection that were not used for longest are deallocated.
   * One call at a time for each connection.
   *
   * @returns the statement to run: without its name where its text is too long to be kept
   */
  admit(client: pg.PoolClient, statement: pg.QueryConfig): Promise<pg.QueryConfig>;
}

/** Prepared statements of a connection: bytes of their texts by name, the one that was not used for longest first. */
interface Kept {
  readonly bytesOf: Map<string, number>;
  bytes: number;
}

/** Texts of the statements that a client takes for prepared, by name; `pg` does not type them. */
const preparedOn = (client: object): object => {
  if (!('connection' in client) || typeof client.connection !== 'object' || client.connection === null) return {};
  const { connection } = client;
  const texts = 'parsedStatements' in connection ? connection.parsedStatements : undefined;
  return typeof texts === 'object' && texts !== null ? texts : {};
};

const deallocate = async (client: pg.PoolClient, name: string): Promise<void> => {
  const prepared = preparedOn(client);
  // a statement that failed was perhaps never prepared
  if (!Object.hasOwn(prepared, name)) return;
  await client.query(`DEALLOCATE ${client.escapeIdentifier(name)}`);
  // the client would execute it by its name otherwise
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
