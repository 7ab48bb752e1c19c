/** What every list answer tells of its page. */
export const pageFields = 'page { page size totalPages totalElements }';
