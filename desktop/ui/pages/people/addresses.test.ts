import { expect, test } from 'vitest'
import { typedAddresses } from './addresses.ts'

test.each([
  ['', [], []],
  ['a@x.org', ['a@x.org'], []],
  ['  a@x.org \n\n B@x.org\r\n', ['a@x.org', 'b@x.org'], []],
  ['a@x.org, b@x.org; c@x.org', ['a@x.org', 'b@x.org', 'c@x.org'], []],
  ['a@x.org\tb@x.org', ['a@x.org', 'b@x.org'], []],
  ['Nuala Reilly <n.reilly@x.org>\n"Byrne, Sam" <sam@x.org>', ['n.reilly@x.org', 'sam@x.org'], []],
  ['Reilly, Nuala, n.reilly@x.org', ['n.reilly@x.org'], []],
  ['a@x.org\nA@X.org', ['a@x.org'], []],
  ['a@x.org\nNuala Reilly\nb@x', ['a@x.org'], ['Nuala Reilly', 'b@x']],
])('%j', (text, addresses, wrong) => {
  expect(typedAddresses(text)).toEqual({ addresses, wrong })
})
