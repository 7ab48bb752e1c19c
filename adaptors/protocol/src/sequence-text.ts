const digits = 19;

/** A sequence number in the form of the envelope: 19 digits, so that texts sort like numbers. */
export const formatSequence = (sequence: number): string => String(sequence).padStart(digits, '0');

/** Undefined when the text is not a sequence number from 1 to 2^53 - 1. Fewer than 19 digits are accepted. */
export const parseSequence = (text: string): number | undefined => {
  if (!/^\d{1,19}$/.test(text)) return undefined;
  const sequence = Number(text);
  return Number.isSafeInteger(sequence) && sequence > 0 ? sequence : undefined;
};
