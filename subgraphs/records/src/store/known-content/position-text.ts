import type { Seen } from '../../domain/routing/seen.js';

/** Parses the text of `writePosition`. */
export const parsePosition = (text: string): Seen => {
  const [applied, begun] = text.split('-');
  return { applied: Number(applied), begun: begun ? Number(begun) : Number.POSITIVE_INFINITY };
};

/** The position as text without commas; nothing after the dash is no bound. */
export const writePosition = ({ applied, begun }: Seen): string => `${applied}-${Number.isFinite(begun) ? begun : ''}`;
