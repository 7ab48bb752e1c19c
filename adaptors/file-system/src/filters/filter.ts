/** Selects files and folders; a folder that does not pass is not entered. */
export type Filter =
  | { readonly type: 'AND' | 'OR' | 'NOT'; readonly children: readonly Filter[] }
  | { readonly type: 'IS_FILE' | 'IS_DIRECTORY' | 'CAN_READ' | 'HIDDEN' | 'VISIBLE' }
  | { readonly type: 'MODIFIED_AFTER' | 'MINIMUM_SIZE' | 'MAXIMUM_SIZE'; readonly value: number }
  | { readonly type: 'REGEX' | 'PREFIX' | 'SUFFIX'; readonly value: string };

/** A file or folder, as a filter sees it. */
export interface FilterSubject {
  /** Last segment of the path. */
  readonly name: string;
  readonly kind: 'FILE' | 'FOLDER';
  /** Bytes; 0 for a folder. */
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly modifiedMs: number;
  readonly canRead: () => boolean;
}

export type CompiledFilter = (subject: FilterSubject) => boolean;
