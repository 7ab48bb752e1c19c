import type { JsonObject } from '@fds/adaptor-sdk';
import { z } from 'zod';

/** A PostgreSQL database that keeps the history. */
export interface PostgresqlStore {
  readonly connectionString: string;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly maxConnections: number;
}

/** The metadata of a temporal adaptor, checked. */
export interface TemporalMetadata {
  /** Undefined: a file in the data directory. */
  readonly store: PostgresqlStore | undefined;
  /** Undefined: versions are never removed. */
  readonly retentionDays: number | undefined;
}

const jdbcPostgresql = /^jdbc:(postgresql:\/\/.+)$/;

const store = z
  .strictObject({
    type: z.literal('JDBC'),
    properties: z.strictObject({
      jdbcUrl: z
        .string()
        .refine(
          (url) => URL.canParse(jdbcPostgresql.exec(url)?.[1] ?? ''),
          'must be like jdbc:postgresql://host:5432/database',
        ),
      'dataSource.user': z.string().optional(),
      'dataSource.password': z.string().optional(),
      maximumPoolSize: z
        .union([z.string().regex(/^\d+$/, 'must be an integer'), z.int()])
        .transform(Number)
        .pipe(z.int().min(1).max(100))
        .default(4),
    }),
  })
  .transform(({ properties }): PostgresqlStore => ({
    connectionString: jdbcPostgresql.exec(properties.jdbcUrl)?.[1] ?? '',
    user: properties['dataSource.user'],
    password: properties['dataSource.password'],
    maxConnections: properties.maximumPoolSize,
  }));

const temporalMetadata = z.strictObject({
  store: store.optional(),
  retentionDays: z.int().min(1).max(36_500).optional(),
});

/** @throws Error with every fault and its place in the metadata; it names places, never values */
export const parseTemporalMetadata = (metadata: JsonObject): TemporalMetadata => {
  const result = temporalMetadata.safeParse(metadata);
  if (result.success) return { store: result.data.store, retentionDays: result.data.retentionDays };
  const faults = result.error.issues.map(
    ({ path, message }) => `${path.length === 0 ? 'metadata' : path.join('.')}: ${message}`,
  );
  throw new Error(`the metadata is not valid: ${faults.join('; ')}`);
};
