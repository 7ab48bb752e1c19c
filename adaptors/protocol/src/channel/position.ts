/** A position in the sequence of one direction. `epoch` null: nothing was received yet. */
export interface Position {
  readonly epoch: string | null;
  /** Last number that was taken; 0: none. */
  readonly sequence: number;
}

export const startPosition: Position = { epoch: null, sequence: 0 };
