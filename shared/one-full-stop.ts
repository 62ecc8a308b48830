/**
 * A sentence that ends in a name with a full stop, such as «& Co.», without a second one. The name may be isolated from the sentence
 * (U+2069). An ellipsis of dots is left as it is.
 */
export const oneFullStop = (sentence: string): string => sentence.replace(/(?<!\.)\.(\u2069*)\.(?!\.)/g, '.$1')
