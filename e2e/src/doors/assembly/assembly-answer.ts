/** The answer of POST /request, as far as tests read it. */
export interface AssemblyAnswer {
  readonly uuid: string;
  readonly domain: string;
  readonly versionNumber: number;
  readonly domainVersionUuid: string;
  readonly virtualizationRequest: Readonly<Record<string, unknown>>;
  readonly assembledDataRecords: readonly AssembledRecord[];
  readonly completeness: readonly {
    readonly adaptorUuid: string | null;
    readonly tier: string | null;
    readonly outcome: string;
  }[];
  readonly _page: Readonly<Record<'page' | 'size' | 'totalElements' | 'totalPages', number>>;
  readonly schemaEntries: readonly { readonly name: string; readonly propertyType: string }[];
  readonly errors?: readonly { readonly pointer: string; readonly code: string }[];
  readonly code?: string;
}

export interface AssembledRecord {
  readonly uuid: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly status: string;
  readonly drKey: Readonly<Record<string, unknown>>;
  readonly adaptors: readonly Readonly<Record<string, unknown>>[];
  readonly provenance?: Readonly<Record<string, { readonly adaptorUuid: string; readonly tier: string }>>;
  readonly timestamps?: readonly number[];
}
