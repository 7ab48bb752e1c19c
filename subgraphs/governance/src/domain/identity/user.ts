/** A person as a user of one zone (docs/reference/access.md#users). */
export interface User {
  /** Uuid of the membership. */
  readonly uuid: string;
  /** Uuid of the person. */
  readonly userUuid: string;
  readonly zoneUuid: string;
  readonly ssoId: string | null;
  /** Null when the zone may not see it. */
  readonly username: string | null;
  readonly name: string | null;
  readonly email: string | null;
  readonly serviceAccount: boolean;
  readonly defaultZone: boolean;
  readonly active: boolean;
  /** Roles of the user themselves, without those of groups. */
  readonly roleUuids: readonly string[];
  readonly groupUuids: readonly string[];
  readonly dateCreated: Date;
  readonly lastUpdated: Date;
  readonly changeVersion: number;
}

/** Data of the person that is the same in every zone. */
export interface PersonSettings extends Pick<User, 'ssoId' | 'name' | 'email'> {
  readonly username: string;
}

/** The data about a person that a zone sent itself, for a person whom the zone does not know otherwise. */
export type ToldPerson = Pick<User, 'username' | 'ssoId' | 'name' | 'email'>;

export interface UserInput {
  readonly userUuid?: string | null;
  readonly ssoId?: string | null;
  readonly username?: string | null;
  readonly name?: string | null;
  readonly email?: string | null;
  readonly password?: string | null;
  readonly serviceAccount?: boolean | null;
  readonly defaultZone?: boolean | null;
  readonly active?: boolean | null;
  readonly roleUuids?: readonly string[] | null;
  readonly groupUuids?: readonly string[] | null;
  readonly changeVersion?: number | bigint | null;
}

/** A user of a zone. */
export interface UserKey {
  readonly zoneUuid: string;
  readonly zoneUserUuid: string;
}
