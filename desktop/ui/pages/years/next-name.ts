/** What a class is likely to be called a year later: the first number in its name counts one up (2B → 3B, Class 9 → Class 10). */
export const nextName = (name: string): string => name.replace(/\d+/, (year) => String(Number(year) + 1))
