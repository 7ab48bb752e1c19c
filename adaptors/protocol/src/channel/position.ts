/** A place in a direction's sequence. `epoch` null: nothing was received yet. */
export interface Position {
  readonly epoch: string | null;
  /** Last number taken, 0 for none. */
  readonly sequence: number;
}

export const startPosition: Position = { epoch: null, sequence: 0 };
