/** The name of a member as a segment of a JSON pointer (RFC 6901). */
export const toSegment = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** The name of a member that a segment of a JSON pointer has. */
export const ofSegment = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~');

/** Appends the name of a member or an index to a JSON pointer. */
export const pointerTo = (pointer: string, member: string | number): string =>
  `${pointer}/${typeof member === 'number' ? member : toSegment(member)}`;
