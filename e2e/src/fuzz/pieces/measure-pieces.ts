import type { FuzzStage } from '../open-fuzz-stage.js';
import { busPieces } from './bus-pieces.js';
import { filePieces } from './file-pieces.js';
import { graphqlPieces } from './graphql-pieces.js';
import type { HostilePiece } from './hostile-piece.js';
import { jsonPieces } from './json-pieces.js';
import { measurePiece } from './measure-piece.js';
import { modelPieces } from './model-pieces.js';
import { requestPieces } from './request-pieces.js';

/** Work of one piece takes at most so much processor time. */
export const maxPieceMs = 50;

/** Every input of the table. */
export const hostilePieces: readonly HostilePiece[] = [
  ...jsonPieces,
  ...modelPieces,
  ...graphqlPieces,
  ...filePieces,
  ...requestPieces,
  ...busPieces,
];

export interface MeasuredPiece {
  readonly door: string;
  readonly input: string;
  /** Processor time of the longest piece, the least of the attempts: compilation and collection of garbage vary. */
  readonly ms: number;
}

/** Sends inputs one after the other. An input is sent again, at most so many times in all, while its piece is too long. */
export const measurePieces = async function* (
  stage: FuzzStage,
  pieces: readonly HostilePiece[],
  attempts: number,
): AsyncGenerator<MeasuredPiece> {
  for (const { door, input, send } of pieces) {
    let ms = Infinity;
    for (let attempt = 0; attempt < attempts && ms > maxPieceMs; attempt += 1)
      ms = Math.min(ms, (await measurePiece(stage.doors.service, () => send(stage))).ms);
    yield { door, input, ms };
  }
};
