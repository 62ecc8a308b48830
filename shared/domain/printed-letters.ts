/** Characters for which no font of the documents has a glyph (docs/design/reports.md, Fonts); a PDF shows boxes for them. */
const UNPRINTED =
  /(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Common}\p{Script=Inherited}])\p{L}|[\uff21-\uff3a\uff41-\uff5a]|(?![©®‼⁉™ℹ])\p{Extended_Pictographic}/u

export const hasUnprintedLetters = (text: string): boolean => UNPRINTED.test(text)
