import type { EffectiveRequest } from '../effective-request.js';
import { timestampSearchOf } from '../temporal-parameters.js';

/** A timestamp search returns timestamps instead of data, so there is nothing to expand. */
export const expandsReferences = ({
  expandRefs,
  additionalParams,
}: Pick<EffectiveRequest, 'expandRefs' | 'additionalParams'>): boolean =>
  expandRefs && timestampSearchOf(additionalParams) === undefined;
