/** The form in which texts are compared ignoring case. PostgreSQL: `lower(text COLLATE "und-x-icu")`. */
export const foldText = (text: string): string => text.toLowerCase();
