/** A domain version as rules select it. Compared by its members, the model by identity. */
export interface DataVersion {
  readonly uuid: string;
  readonly domainUuid: string;
  /** The zone that owns the domain. */
  readonly zoneUuid: string;
  readonly model: { readonly properties: readonly { readonly name: string }[] };
}

/** An adaptor that holds data. */
export interface DataHolder {
  readonly adaptorUuid: string;
  readonly zoneUuid: string;
}
