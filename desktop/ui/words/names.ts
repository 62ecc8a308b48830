type Named = { first_name: string | null; last_name: string | null; email?: string }

/** As a person is spoken to: first name, last name; the address where neither is known. */
export const nameOf = ({ first_name, last_name, email }: Named): string => [first_name, last_name].filter(Boolean).join(' ') || email || '…'

/** As a register lists a person: last name first. */
export const listedName = ({ first_name, last_name }: Named): string => [last_name, first_name].filter(Boolean).join(', ')
