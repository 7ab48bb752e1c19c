import type { VersionAccess } from '@fds/access-rules';
import type { MergePlan } from './merge-plan.js';
import type { Source } from './source.js';

/** The properties of a record from a source that the caller may see. */
export interface VisibleProperties {
  /** NONE: the record is hidden. */
  readonly extent: 'ALL' | 'SOME' | 'NONE';
  has(property: string): boolean;
}

/** The part of a record from a source that the caller may see, by governance and by data access rules. */
export type Visibility = (source: Source, recordUuid: string) => VisibleProperties;

/** The decisions of governance on the records of sources. */
export interface GovernedRecords {
  /** May the asking zone get any data of the record? */
  permits(source: Source, recordUuid: string): boolean;
  /** Properties that the asking zone may not get. */
  withheld(source: Source, recordUuid: string): readonly string[];
}

const everything: VisibleProperties = { extent: 'ALL', has: () => true };
const nothing: VisibleProperties = { extent: 'NONE', has: () => false };

/** @param restriction undefined when data access rules hide nothing */
export const createVisibility =
  (governed: GovernedRecords, restriction: VersionAccess | undefined): Visibility =>
  (source, recordUuid) => {
    if (!governed.permits(source, recordUuid)) return nothing;
    const hidden = governed.withheld(source, recordUuid);
    const visible = restriction?.at(source).of(recordUuid);
    if (visible?.extent === 'NONE') return nothing;
    if (hidden.length === 0 && visible?.extent !== 'SOME') return everything;
    return { extent: 'SOME', has: (name) => !hidden.includes(name) && visible?.names.has(name) !== false };
  };

/** May the caller see any requested data? A request without properties requests the record itself. */
export const mayAsk = ({ requested }: MergePlan, { extent, has }: VisibleProperties): boolean =>
  extent !== 'NONE' && (requested.length === 0 || requested.some(({ property }) => has(property.name)));
