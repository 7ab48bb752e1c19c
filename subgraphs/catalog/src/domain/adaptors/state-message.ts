import { storableStart } from '@fds/json';
import { maskedText } from '../operations/masked-text.js';
import { isAway, type AdaptorState } from './adaptor-state.js';

/** Most characters of a `stateMessage`; the rest of a longer one is cut off. */
const maxStateMessage = 4_000;

/** The text of an adaptor as its `stateMessage`. Null: an empty text, or none. */
export const shownStateMessage = (text: string | undefined): string | null => {
  const shown = storableStart(maskedText(storableStart(text ?? '', maxStateMessage)), maxStateMessage);
  return shown === '' ? null : shown;
};

interface SaidState {
  /** The state after the report. */
  readonly state: AdaptorState;
  readonly message?: string | undefined;
  /** The server's own message about the adaptor. */
  readonly warning?: string | undefined;
  /** STATUS: a report on `up/status`. ANSWER: the answer to an operation, whose message is about the operation. */
  readonly from: 'STATUS' | 'ANSWER';
}

/**
 * The `stateMessage` after a report of the state. The latest report counts: a status without a message clears it, except
 * that ERROR keeps its reason. An answer changes it only with the state ERROR. An adaptor that is not connected has none.
 */
export const stateMessageAfter = (
  before: { readonly state: AdaptorState; readonly stateMessage: string | null },
  { state, message, warning, from }: SaidState,
): string | null => {
  if (isAway(state)) return null;
  if (state === 'ERROR') return message === undefined ? before.stateMessage : shownStateMessage(message);
  if (from === 'ANSWER') return before.state === 'ERROR' ? null : before.stateMessage;
  return shownStateMessage(message) ?? warning ?? null;
};
