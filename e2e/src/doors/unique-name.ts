let count = 0;

/** A name that no other test of the file uses; letters, digits and the prefix's own characters. */
export const uniqueName = (prefix: string): string => {
  count += 1;
  return `${prefix}${count}x`;
};

/** A well-formed uuid of no resource. */
export const nobody = '01890000-0000-7000-8000-00000000dead';
