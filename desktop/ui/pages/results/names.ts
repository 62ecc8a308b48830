type Named = { first_name: string; last_name: string }

/** As in a list: `Adeyemi, Zoë`. */
export const listName = ({ first_name, last_name }: Named): string => `${last_name}, ${first_name}`
/** As on a card: `Zoë Adeyemi`. */
export const fullName = ({ first_name, last_name }: Named): string => `${first_name} ${last_name}`
