import type { JsonObject } from '@fds/adaptor-protocol';

/** A domain version other than the kit's own. */
export interface ForeignModel {
  readonly modelSchema: JsonObject;
  readonly drKeyProperties: readonly string[];
  /**
   * Template for the record of an event, if the kit's key and properties are not members of the model. In its texts,
   * `${ID}` is the id of the record and `${FOLDER}` the folder of the adaptor. A text with `${PROPERTY}` or
   * `${NULLABLE}` has the value of the event's property. The member with such a text is absent or null if the property
   * is.
   */
  readonly event?: JsonObject;
}

/** The adaptor under test. */
export interface ConformanceOptions {
  /** Shell command that starts it. It is configured by the environment (ADAPTOR_UUID, MESSAGE_BUS_URL, DATA_DIRECTORY ...). */
  readonly command: string;
  /**
   * Shell command that changes the record RECORD_ID of the adaptor's source: it sets the property RECORD_PROPERTY to
   * RECORD_VALUE. It creates a record that does not exist.
   */
  readonly changeCommand?: string;
  /** Shell command that makes the source refuse every later write of the record RECORD_ID. */
  readonly refuseCommand?: string;
  /** Shell commands that put the source out of the adaptor's reach, and back. */
  readonly awayCommand?: string;
  readonly backCommand?: string;
  /**
   * Shell command that prints the record RECORD_ID of the adaptor's source as a JSON object, and nothing or `null` when the record
   * does not exist. For an adaptor that does not answer assembly requests. Default: the records are read by assembly requests.
   */
  readonly readCommand?: string;
  /** Domain version, for an adaptor that requires its own. Default: a key and two properties, all strings. */
  readonly model?: ForeignModel;
  /**
   * True: the adaptor does not keep the records that it receives, so no check reads them or waits for links. Default
   * false.
   */
  readonly keepsNoRecords?: boolean;
  /** A domain version with a string key and two more string properties. Default customer:1, id, name, note. */
  readonly domain?: string;
  readonly version?: number;
  readonly key?: string;
  readonly property?: string;
  readonly nullable?: string;
  /** Metadata of the START. `${FOLDER}` in texts is the folder in which the adaptor is started. */
  readonly metadata?: JsonObject;
  /** Default 10 000. */
  readonly patienceMs?: number;
}
