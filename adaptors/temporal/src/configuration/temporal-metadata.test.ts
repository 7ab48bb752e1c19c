import { describe, expect, it } from '@jest/globals';
import { parseTemporalMetadata } from './temporal-metadata.js';

const properties = {
  jdbcUrl: 'jdbc:postgresql://db:5432/history',
  'dataSource.user': 'fds',
  'dataSource.password': 'hunter2',
};

describe('parseTemporalMetadata', () => {
  it('without metadata, uses the data directory and keeps all versions', () => {
    expect(parseTemporalMetadata({})).toEqual({ store: undefined, retentionDays: undefined });
  });

  it('reads a PostgreSQL store', () => {
    const metadata = {
      store: { type: 'JDBC', properties: { ...properties, maximumPoolSize: '8' } },
      retentionDays: 30,
    };
    expect(parseTemporalMetadata(metadata)).toEqual({
      store: { connectionString: 'postgresql://db:5432/history', user: 'fds', password: 'hunter2', maxConnections: 8 },
      retentionDays: 30,
    });
  });

  it.each([
    [{ stores: {} }, 'metadata: '],
    [{ store: { type: 'FILE', properties } }, 'store.type: '],
    [
      { store: { type: 'JDBC', properties: { ...properties, jdbcUrl: 'jdbc:mysql://db/x' } } },
      'store.properties.jdbcUrl: ',
    ],
    [
      { store: { type: 'JDBC', properties: { ...properties, maximumPoolSize: '0' } } },
      'store.properties.maximumPoolSize: ',
    ],
    [{ retentionDays: 0 }, 'retentionDays: '],
  ])('names the place of a fault, but no value', (metadata, place) => {
    let message = '';
    try {
      parseTemporalMetadata(metadata);
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toContain(place);
    expect(message).not.toContain('hunter2');
  });
});
