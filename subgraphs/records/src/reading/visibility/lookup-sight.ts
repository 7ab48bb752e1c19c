import { readVisibility } from '@fds/search';
import { createRecordSight, type SightOptions } from '../../domain/records/record-sight.js';
import type { Catalog } from '../../domain/catalog.js';
import type { LookupSight } from '../../store/references/open-reference-book.js';

/** Limits lookups to the records that the caller may see; undefined: the caller may see every record. */
export const lookupSightOf = (options: SightOptions, catalog: Pick<Catalog, 'adaptor'>): LookupSight | undefined => {
  const { dataAccess, mayRead } = options;
  if (dataAccess === undefined && mayRead === undefined) return undefined;
  return {
    sight: createRecordSight(options, catalog),
    visibilityOf: (version, required) => readVisibility({ dataAccess }, [version], required),
  };
};
