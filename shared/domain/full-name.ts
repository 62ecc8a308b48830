/** First name and last name; empty where both are missing. */
export const fullName = ({ first_name, last_name }: { first_name?: string | null; last_name?: string | null }): string =>
  [first_name, last_name].filter(Boolean).join(' ')
