/** The page members of every list answer. */
export const pageFields = 'page { page size totalPages totalElements }';
