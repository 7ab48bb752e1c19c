const member = '"requestUuid"';
const value = /^\s*:\s*"([0-9a-fA-F-]{36})"/;
/** Covers a colon, blanks and quotes around a uuid. */
const searchedBytes = 64;

/**
 * Finds the first `requestUuid` in the text of a message that the caller knows, without parsing the message.
 *
 * @returns undefined when the text has none
 */
export const findRequestUuid = (payload: Uint8Array, knows: (uuid: string) => boolean): string | undefined => {
  const text = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
  for (let at = text.indexOf(member); at !== -1; at = text.indexOf(member, at + member.length)) {
    const start = at + member.length;
    const uuid = value.exec(text.toString('latin1', start, start + searchedBytes))?.[1];
    if (uuid !== undefined && knows(uuid)) return uuid;
  }
  return undefined;
};
