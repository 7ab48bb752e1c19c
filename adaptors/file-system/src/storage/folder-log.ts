/** A folder that the adaptor made. */
export interface LoggedFolder {
  /** Tells the folder from another one in its place. Null: a crash may have interrupted the making. */
  readonly mark: string | null;
  /** When the adaptor began to make it. */
  readonly begunMs: number;
}

/** Remembers the folders that the adaptor made, by their URI, so that it removes no others. */
export interface FolderLog {
  findFolder(uri: string): LoggedFolder | undefined;
  /** Called before a folder is made. */
  makingFolder(uri: string, begunMs: number): void;
  madeFolder(uri: string, mark: string): void;
  /** The folder no longer exists, or is another one. */
  forgetFolder(uri: string): void;
}
