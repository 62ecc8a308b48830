/** The likely name of a class a year later: its first number plus one (2B → 3B, Class 9 → Class 10). */
export const nextName = (name: string): string => name.replace(/\d+/, (year) => String(Number(year) + 1))
