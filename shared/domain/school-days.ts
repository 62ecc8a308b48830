/** The days of the week by their ISO numbers: Monday is 1, Sunday 7. */
export const weekdays = [1, 2, 3, 4, 5, 6, 7] as const

/** The default school days: Monday to Friday. */
export const standardSchoolDays: readonly number[] = [1, 2, 3, 4, 5]

/** Whether a value is a list of school days: at least one weekday, each once, ascending. So each set of days has one form. */
export const areSchoolDays = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((day, at) => weekdays.includes(day) && (at === 0 || day > value[at - 1]))

/** Whether a day `YYYY-MM-DD` is one of these school days. */
export const isSchoolDay = (day: string, schoolDays: readonly number[]): boolean =>
  // `getUTCDay` returns 0 for a Sunday.
  schoolDays.includes(new Date(`${day}T00:00:00Z`).getUTCDay() || 7)
