import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { visibleText } from './visible-text.ts'

describe('a text keeps the invisible characters that its script needs', () => {
  test.each([
    ['Persian, letters that do not join', 'می\u200cخواهم'],
    ['Urdu', 'علی\u200cپور'],
    ['Hindi, a half letter', 'क्\u200dष'],
    ['Hindi, at the end of a word', 'क्\u200d'],
    ['Bengali, before the sign', 'র\u200d্যাব'],
    ['Sinhala', 'ශ්\u200dරී ලංකා'],
    ['Malayalam, at the end of a word', 'അവന്\u200d'],
    ['Kannada', 'ರ್\u200cನ'],
    ['Nagari without a sign', 'न\u200dय'],
    ['Mongolian', 'ᠠ\u180eᠨ'],
    ['a mark beside Arabic', 'محمد\u200f'],
    ['marks about a number in Hebrew', 'שרה \u200e(3B)\u200e'],
    ['a teacher as an emoji', 'well done 👩🏽\u200d🏫'],
    ['an emoji with a variation', 'heart ❤\ufe0f'],
    ['a flag of hidden letters', '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}'],
    ['accents of their own', 'e\u0301 Zoë Ñandú'],
    ['a joiner of graphemes', 'c\u034fh'],
    ['spaces and lines', ' Anna \u00a0\u3000\r\nB'],
    ['what is refused elsewhere', 'a\u0000\u2028\ud800'],
  ])('%s', (_what, text) => expect(visibleText(text)).toBe(text))
})

describe('other invisible characters are removed', () => {
  test.each([
    ['the direction turned', 'Ada\u202eadA', 'AdaadA'],
    ['all that turn or isolate', '\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069x', 'x'],
    ['those in Arabic too', 'محمد\u202e\u2067', 'محمد'],
    ['spaces of no width', 'A\u200bd\u2060a\ufeff', 'Ada'],
    ['soft hyphens', 'Zo\u00adë', 'Zoë'],
    ['joiners in Latin', 'An\u200dn\u200ca', 'Anna'],
    ['joiners at the end', 'علی\u200c', 'علی'],
    ['joiners between Latin and Arabic', 'a\u200cعلی', 'aعلی'],
    ['joiners after an accent', 'e\u0301\u200dx', 'e\u0301x'],
    ['two joiners', 'क\u200d\u200dष', 'कष'],
    ['marks of direction where all is from the left', 'Ada\u200e\u200f\u061c', 'Ada'],
    ['a Mongolian separator elsewhere', 'a\u180eb', 'ab'],
    ['fillers of Hangul', 'Ada\u3164\uffa0\u115f', 'Ada'],
    ['notes between lines', 'a\ufff9b\ufffac\ufffb', 'abc'],
    ['hidden letters', 'Ada\u{e0041}\u{e0020}', 'Ada'],
    ['operators that are not seen', 'a\u2061\u2064\u206ab', 'ab'],
  ])('%s', (_what, text, visible) => expect(visibleText(text)).toBe(visible))
})

test('visibleText is idempotent, and only removes characters', () => {
  const hidden = fc.constantFrom(...'\u200b\u200c\u200d\u200e\u200f\u202e\u2066\u00ad\u034f\ufe0f\u180e\u17b4', '\u{e0067}', '\u{1f3f4}')
  const letters = fc.constantFrom(...'aZë', ...'कष्', ...'علی', ...'ന്', '👩', '🏽', '🏫', ' ', '1')
  fc.assert(
    fc.property(fc.array(fc.oneof(hidden, letters)), (signs) => {
      const text = signs.join('')
      const once = visibleText(text)
      expect(visibleText(once)).toBe(once)
      expect([...once].filter((sign) => !text.includes(sign))).toEqual([])
      expect(once.replace(/[\u200b-\u200f\u202e\u2066\u00ad\u180e\u{e0067}]/gu, '')).toBe(
        text.replace(/[\u200b-\u200f\u202e\u2066\u00ad\u180e\u{e0067}]/gu, ''),
      )
    }),
  )
})
