/** French sets these signs off by a space, at which no line may end; nor may it before a sign of percent. */
export const unbroken = (text: string): string => text.replace(/(?<=\S) (?=[;:?!»%])|(?<=«) /g, '\u00a0')
