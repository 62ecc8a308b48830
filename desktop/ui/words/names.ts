type PersonName = { first_name: string | null; last_name: string | null; email?: string }

/** First name and last name; the e-mail address where both are missing. */
export const nameOf = ({ first_name, last_name, email }: PersonName): string =>
  [first_name, last_name].filter(Boolean).join(' ') || email || '…'

/** Last name first, as in a register. */
export const listedName = ({ first_name, last_name }: PersonName): string => [last_name, first_name].filter(Boolean).join(', ')
