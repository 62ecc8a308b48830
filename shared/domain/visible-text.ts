/**
 * Invisible characters: without width, or changing the direction of the text after them. With them two names look alike, or one looks like
 * another. Marks and variation selectors are kept, since they belong to the letter before them.
 */
const HIDDEN = /(?!\p{M})[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/u
const EACH_HIDDEN = new RegExp(HIDDEN, 'gu')

/** Scripts that use zero-width joiners and non-joiners between letters. */
const JOINING = 'Arab Syrc Mong Nkoo Adlm Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr Tibt Java Bali'
const RIGHT_TO_LEFT = 'Arab Hebr Syrc Thaa Nkoo Adlm'
const of = (scripts: string) =>
  `[${scripts
    .split(' ')
    .map((script) => `\\p{scx=${script}}`)
    .join('')}]`

const joins = `(?=[\\p{L}\\p{M}])${of(JOINING)}`
const BETWEEN_LETTERS = new RegExp(`(?<=${joins}\\p{M}*)[\u180e\u200c\u200d](?=${joins})`, 'uy')
/** A joiner after a mark: Malayalam writes a final letter without its vowel in this way, Devanagari a half letter. */
const AFTER_A_MARK = new RegExp(`(?<=(?=\\p{M})${joins})\u200d`, 'uy')
const IN_AN_EMOJI = /(?<=\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\ufe0f)*)\u200d(?=\p{Extended_Pictographic})/uy
/** The flags of England, Scotland and Wales are a black flag followed by invisible letters. */
const IN_A_FLAG = /(?<=\u{1f3f4}[\u{e0020}-\u{e007f}]*)[\u{e0020}-\u{e007f}]/uy
const NEEDED = [BETWEEN_LETTERS, AFTER_A_MARK, IN_AN_EMOJI, IN_A_FLAG]

const LETTER_FROM_THE_RIGHT = new RegExp(`(?=\\p{L})${of(RIGHT_TO_LEFT)}`, 'u')
/** They keep brackets and numbers in place beside right-to-left letters. */
const MARK_OF_DIRECTION = /^[\u061c\u200e\u200f]$/

/**
 * Removes invisible characters from a text, except those that its script needs: joiners between letters of Persian, Hindi, Sinhala and
 * others, joiners within an emoji, and marks of direction beside right-to-left letters.
 */
export function visibleText(text: string): string {
  if (!HIDDEN.test(text)) return text
  const isFromTheRight = LETTER_FROM_THE_RIGHT.test(text)
  return text.replace(EACH_HIDDEN, (hidden, at: number) => {
    const isNeeded = (isFromTheRight && MARK_OF_DIRECTION.test(hidden)) || NEEDED.some((place) => isAt(place, text, at))
    return isNeeded ? hidden : ''
  })
}

function isAt(place: RegExp, text: string, at: number): boolean {
  place.lastIndex = at
  return place.test(text)
}
