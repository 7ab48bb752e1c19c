/** Range of a port setting; 0 means any free port. */
export const anyPort = { min: 0, max: 65_535 };
