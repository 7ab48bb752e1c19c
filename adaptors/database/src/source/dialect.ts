/** Databases that the adaptor supports. */
export type Dialect = 'postgresql' | 'sqlite' | 'mysql' | 'mssql' | 'oracle';
