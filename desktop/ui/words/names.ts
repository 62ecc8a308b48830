import { fullName } from '@markbook/shared/domain/full-name'

type PersonName = { first_name: string | null; last_name: string | null; email?: string }

/** First name and last name; the e-mail address where both are missing. */
export const nameOf = (person: PersonName): string => fullName(person) || person.email || '…'

/** Last name first, as in a register. */
export const listedName = ({ first_name, last_name }: PersonName): string => [last_name, first_name].filter(Boolean).join(', ')

/** Last name first and no comma, as in the grid of marks. */
export const nameInGrid = ({ first_name, last_name }: { first_name: string; last_name: string }): string => `${last_name} ${first_name}`
