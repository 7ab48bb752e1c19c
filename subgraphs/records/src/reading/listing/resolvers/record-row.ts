import type { Visible } from '@fds/access-rules';
import type { AssemblerOptions } from '@fds/assembly-contract';
import { parseJson, type JsonObject } from '@fds/json';

/** Options of a query for the assembler, in addition to the records. */
export interface AssemblyOptions {
  readonly zoneUuid: string | undefined;
  readonly additional: AssemblerOptions;
  readonly references: FollowedReferences;
}

/** How far the references of a record are followed. */
export interface FollowedReferences {
  /** Levels that are followed; 0: none. Infinity: as far as the query selects. */
  readonly levels: number;
  /** Records of one list at most, in addition to the limits of the model and the field. */
  readonly maxSize: number | undefined;
}

/** A record as the fields of its generated type see it. */
export interface RecordRow {
  readonly uuid: string;
  readonly dateCreated: Date;
  /** As JSON text: few ask for it. */
  readonly drKey: string;
  /** The stored data, or the assembled. */
  readonly data: JsonObject;
  /** Assembly status; null for data-store records. */
  readonly status: string | null;
  /** The assembly options of the query: referenced records are assembled with the same options. */
  readonly options: AssemblyOptions;
  /** The visible part of the record, if restricted. Hidden properties are in neither key nor data. */
  readonly visible?: Visible | undefined;
}

/** A record as the database has it, JSON as text; federated data has yet to be assembled. */
export interface KeyedRecord {
  readonly uuid: string;
  readonly dateCreated: Date;
  readonly drKey: string;
  readonly json: string | null;
  readonly visible?: Visible | undefined;
}

/** The data of a stored record. It is parsed on first use. */
export class StoredData {
  readonly #json: string | null;
  #data: JsonObject | undefined;

  constructor(json: string | null) {
    this.#json = json;
  }

  get data(): JsonObject {
    return (this.#data ??= this.#json === null ? {} : (parseJson(this.#json) as JsonObject));
  }
}

/** A stored record. */
export class StoredRow extends StoredData implements RecordRow {
  readonly uuid: string;
  readonly dateCreated: Date;
  readonly drKey: string;
  readonly status = null;
  readonly options: AssemblyOptions;
  readonly visible: Visible | undefined;

  constructor({ uuid, dateCreated, drKey, json, visible }: KeyedRecord, options: AssemblyOptions) {
    super(json);
    this.visible = visible;
    this.options = options;
    this.uuid = uuid;
    this.dateCreated = dateCreated;
    this.drKey = drKey;
  }
}
