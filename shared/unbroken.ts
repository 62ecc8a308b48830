/** Replaces spaces at which no line may break by no-break spaces: before a French punctuation mark or a percent sign, and after «. */
export const unbroken = (text: string): string => text.replace(/(?<=\S) (?=[;:?!»%])|(?<=«) /g, '\u00a0')
