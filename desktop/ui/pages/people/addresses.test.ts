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
  ['Reilly;Nuala;n.reilly@x.org', ['n.reilly@x.org'], []],
  ['a@x.org\nA@X.org', ['a@x.org'], []],
  ['a@x.org\nNuala Reilly\nb@x', ['a@x.org'], ['Nuala Reilly', 'b@x']],
  ['a@x.org, b@x\nc@x.org; d@x', ['a@x.org', 'c@x.org'], ['b@x', 'd@x']],
  ['Name\na@x.org', ['a@x.org'], ['Name']],
  ['Contact; a@x.org\nb@x.org', ['a@x.org', 'b@x.org'], []],
  ['a@x.org\nName, Email', ['a@x.org'], ['Name, Email']],
])('%j', (text, addresses, wrong) => {
  expect(typedAddresses(text)).toMatchObject({ addresses, wrong, heading: null })
})

test.each([
  ['Name, Email, Role\nNuala Reilly, n.reilly@x.org, teacher', 'Name, Email, Role'],
  ['\n"Name","E-Mail Address"\r\n"Reilly, Nuala","n.reilly@x.org"', 'Name, E-Mail Address'],
  ['First name\tLast name\tAddress\nNuala\tReilly\tn.reilly@x.org', 'First name, Last name, Address'],
  ['Nom;Prénom;Adresse électronique;Rôle\nReilly;Nuala;n.reilly@x.org;enseignante', 'Nom, Prénom, Adresse électronique, Rôle'],
  ['Nom\tCourriel\nNuala Reilly\tn.reilly@x.org', 'Nom, Courriel'],
  ['الاسم\tالبريد الإلكتروني\tالدور\nNuala Reilly\tn.reilly@x.org\tمعلّم', 'الاسم, البريد الإلكتروني, الدور'],
  ['EMAIL\nn.reilly@x.org', 'EMAIL'],
])('%j begins with a heading, which is no person', (text, heading) => {
  expect(typedAddresses(text)).toMatchObject({ addresses: ['n.reilly@x.org'], wrong: [], heading })
})

test.each([
  ['Nuala Reilly <N.Reilly@x.org>', [['n.reilly@x.org', 'Nuala Reilly']]],
  ['"Byrne, Sam" <sam@x.org>', [['sam@x.org', 'Byrne, Sam']]],
  ['Byrne, Sam <sam@x.org>', [['sam@x.org', 'Byrne, Sam']]],
  [
    'Nuala Reilly <n@x.org>, "Byrne, Sam" <sam@x.org>; c@x.org, Ada Nowak <ada@x.org>',
    [
      ['n@x.org', 'Nuala Reilly'],
      ['sam@x.org', 'Byrne, Sam'],
      ['ada@x.org', 'Ada Nowak'],
    ],
  ],
  ['<a@x.org>\nFirst <b@x.org>\nSecond <b@x.org>', [['b@x.org', 'First']]],
  ['Reilly, Nuala, n.reilly@x.org', []],
])('the names of %j', (text, names) => {
  expect([...typedAddresses(text).names]).toEqual(names)
})
