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
  expect(typedAddresses(text)).toEqual({ addresses, wrong, heading: null })
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
  expect(typedAddresses(text)).toEqual({ addresses: ['n.reilly@x.org'], wrong: [], heading })
})
