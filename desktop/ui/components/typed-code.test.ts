import { expect, test } from 'vitest'
import { typedCode, wholeCode } from './typed-code.ts'

test.each([
  ['12345678', '12345678', '12345678'],
  [' 1234 5678 ', '12345678', '12345678'],
  ['1234-56789', '12345678', '12345678'],
  ['123456', '123456', null],
  ['١٢٣٤ ٥٦٧٨', '12345678', '12345678'],
  ['', '', null],
  ['ABCD-EFGH-JKLM-NP23', 'ABCD-EFGH-JKLM-NP23', 'ABCDEFGHJKLMNP23'],
  [' abcd efgh jklm np23\n', 'abcd efgh jklm np23', 'ABCDEFGHJKLMNP23'],
  ['2345–6723–abcd–efgh', '2345–6723–abcd–efgh', '23456723ABCDEFGH'],
  ['ABCD-EFGH', 'ABCD-EFGH', null],
  ['ABCD-EFGH-JKLM-NP234', 'ABCD-EFGH-JKLM-NP234', null],
])('%j is shown as %j and sent as %j', (text, kept, sent) => {
  expect(typedCode(text)).toBe(kept)
  expect(wholeCode(typedCode(text))).toBe(sent)
})
