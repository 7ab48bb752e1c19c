export { casesOf } from './cases-of.js';
export { createBrowser, type Browser, type Shown } from './create-browser.js';
export { createRandom, type Random } from './create-random.js';
export { eventually, type Patience } from './eventually.js';
export { mariadbMissing, startMariadb, type Mariadb } from './start-mariadb.js';
export { postgresMissing, startPostgres, type Postgres } from './start-postgres.js';
