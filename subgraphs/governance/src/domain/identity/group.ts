/** Users of a zone who have the same roles and permissions. */
export interface Group {
  readonly uuid: string;
  readonly zoneUuid: string;
  readonly name: string;
  readonly description: string | null;
  readonly roleUuids: readonly string[];
  readonly dateCreated: Date;
  readonly lastUpdated: Date;
  readonly changeVersion: number;
}

export interface GroupInput {
  readonly name?: string | null;
  readonly description?: string | null;
  /** Absent when the roles stay. */
  readonly roleUuids?: readonly string[] | null;
  readonly changeVersion?: number | bigint | null;
}
