/** Databases the adaptor speaks to. */
export type Dialect = 'postgresql' | 'sqlite' | 'mysql' | 'mssql' | 'oracle';
