/** A person as a user of one zone (decisions, section 5). */
export interface User {
  /** Of the membership. */
  readonly uuid: string;
  /** Of the person. */
  readonly userUuid: string;
  readonly zoneUuid: string;
  readonly ssoId: string | null;
  /** Null: the zone does not know it. */
  readonly username: string | null;
  readonly name: string | null;
  readonly email: string | null;
  readonly serviceAccount: boolean;
  readonly defaultZone: boolean;
  readonly active: boolean;
  /** Held by the user themselves, not through groups. */
  readonly roleUuids: readonly string[];
  readonly groupUuids: readonly string[];
  readonly dateCreated: Date;
  readonly lastUpdated: Date;
  readonly changeVersion: number;
}

/** What is said of the person: the same in every zone. */
export interface PersonSettings extends Pick<User, 'ssoId' | 'name' | 'email'> {
  readonly username: string;
}

/** The part of a person that a zone sent itself, for a person whom the zone does not know otherwise. */
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
