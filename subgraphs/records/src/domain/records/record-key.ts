/** A DR Key of a domain version, of a record or of a link. */
export interface RecordKey {
  readonly domainVersionUuid: string;
  /** Hexadecimal. */
  readonly keyDigest: string;
}
