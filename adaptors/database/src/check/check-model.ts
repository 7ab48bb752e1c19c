import { type AdaptorConfiguration, nearestTo } from '@fds/adaptor-sdk';
import { readsOf } from '../source/mapping/table-mapping.js';
import { isJsonObject, type JsonObject, type JsonValue } from '@fds/adaptor-protocol';
import type { ColumnType, TableMetadata } from '../configuration/table-metadata.js';
import { pointerOf, type ConfigurationFault } from '../configuration/fault.js';

type Configuration = Pick<AdaptorConfiguration, 'capabilities' | 'domainVersions'>;

const integers = ['integer', 'int', 'long'];
const numbers = [...integers, 'number', 'double', 'float'];

/** Property types that fit the values of a column type. A column type without an entry fits any property. */
const propertyTypes: Readonly<Partial<Record<ColumnType, readonly string[]>>> = {
  STRING: ['string'],
  LONG: numbers,
  INTEGER: numbers,
  DOUBLE: numbers,
  DECIMAL: numbers,
  BOOLEAN: ['boolean'],
  LOCAL_DATE: ['string'],
  TIMESTAMP: ['string'],
  BYTES: ['string'],
};

const knownTypes: ReadonlySet<string> = new Set([...numbers, 'string', 'boolean', 'object', 'array']);

const typesOf = (property: JsonValue | undefined): readonly string[] => {
  const type = isJsonObject(property ?? null) ? (property as JsonObject)['type'] : undefined;
  const named = Array.isArray(type) ? (type as readonly JsonValue[]) : [type];
  return named.filter((name): name is string => typeof name === 'string' && knownTypes.has(name));
};

const checkColumns = (table: TableMetadata, index: number, model: JsonObject): readonly ConfigurationFault[] => {
  const { properties } = model;
  if (!isJsonObject(properties ?? null)) return [];
  const known = properties as JsonObject;
  return Object.entries(table.dataColumns).flatMap(([column, { source, columnType }]): ConfigurationFault[] => {
    const place = pointerOf('tables', index, 'dataColumns', column);
    if (!(source in known)) {
      const message = `${table.domain}:${table.version} has no property ${JSON.stringify(source)}${nearestTo(source, Object.keys(known))}`;
      return [{ place: `${place}/source`, message, retry: 'NEVER' }];
    }
    const [types, fitting] = [typesOf(known[source]), propertyTypes[columnType]];
    if (types.length === 0 || fitting === undefined || types.some((type) => fitting.includes(type))) return [];
    const message = `${columnType} does not fit the property ${JSON.stringify(source)} of type ${types.join(' or ')}`;
    return [{ place: `${place}/columnType`, message, retry: 'NEVER' }];
  });
};

/** Compares the expressions with the model: the properties that they compute, and those that they read. */
const checkMapping = (table: TableMetadata, index: number, model: JsonObject): readonly ConfigurationFault[] => {
  const { properties } = model;
  if (!isJsonObject(properties ?? null)) return [];
  const known = Object.keys(properties as JsonObject);
  const faultOf = (property: string, ...path: readonly string[]): ConfigurationFault => ({
    place: pointerOf('tables', index, 'mapping', ...path),
    message: `${table.domain}:${table.version} has no property ${JSON.stringify(property)}${nearestTo(property, known)}`,
    retry: 'NEVER',
  });
  const { toRecord, toRow } = readsOf(table);
  return [
    ...[...toRecord.keys()].flatMap((property) =>
      known.includes(property) ? [] : [faultOf(property, 'toRecord', property)],
    ),
    ...[...toRow].flatMap(([column, { roots }]) =>
      [...roots].flatMap((property) => (known.includes(property) ? [] : [faultOf(property, 'toRow', column)])),
    ),
  ];
};

const checkKeys = (
  table: TableMetadata,
  index: number,
  drKeyProperties: readonly string[],
): readonly ConfigurationFault[] => {
  const mapped = new Set(Object.values(table.dataColumns).map(({ source }) => source));
  const unmapped = drKeyProperties.filter((name) => !mapped.has(name));
  const unread = table.primaryKeySpecs.flatMap(({ type, column }, at) =>
    type === 'DOMAIN' && !(column in table.dataColumns) ? [{ at, column }] : [],
  );
  return [
    ...unmapped.map((name): ConfigurationFault => ({
      place: pointerOf('tables', index, 'dataColumns'),
      message: `no column has the DR Key property ${JSON.stringify(name)} as its source`,
      retry: 'NEVER',
    })),
    ...unread.map(({ at, column }): ConfigurationFault => ({
      place: pointerOf('tables', index, 'primaryKeySpecs', at),
      message: `a key column of type DOMAIN is one of dataColumns; ${JSON.stringify(column)} is not`,
      retry: 'NEVER',
    })),
  ];
};

const checkVersion = (
  { domain, version }: TableMetadata,
  index: number,
  { capabilities, domainVersions }: Configuration,
): ConfigurationFault => {
  const capable = [...new Set(capabilities.map((one) => one.domainName))];
  const isCapable = capabilities.some((one) => one.domainName.toLowerCase() === domain.toLowerCase());
  if (!isCapable) {
    const message = `no capability of the adaptor names the domain ${JSON.stringify(domain)}${nearestTo(domain, capable)}`;
    return { place: pointerOf('tables', index, 'domain'), message, retry: 'NEVER' };
  }
  const versions = domainVersions.filter((one) => one.domain === domain).map((one) => one.version);
  const message =
    versions.length === 0
      ? `the server has no version of the domain ${JSON.stringify(domain)} that the capabilities name${nearestTo(
          domain,
          domainVersions.map((one) => one.domain),
        )}`
      : `no capability of the adaptor names version ${version} of ${domain}; named: ${versions.join(', ')}`;
  return { place: pointerOf('tables', index, versions.length === 0 ? 'domain' : 'version'), message, retry: 'NEVER' };
};

/** Compares tables with the capabilities and with the models of the domain versions. */
export const checkModel = (
  tables: readonly TableMetadata[],
  configuration: Configuration,
): readonly ConfigurationFault[] =>
  tables.flatMap((table, index) => {
    const named = configuration.domainVersions.find(
      ({ domain, version }) => domain === table.domain && version === table.version,
    );
    if (named === undefined) return [checkVersion(table, index, configuration)];
    return [
      ...checkColumns(table, index, named.modelSchema ?? {}),
      ...checkMapping(table, index, named.modelSchema ?? {}),
      ...checkKeys(table, index, named.drKeyProperties),
    ];
  });
