import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { normalEmail } from './emails.ts'

describe('the normal form of an address', () => {
  test.each([
    ['A@X.org', 'a@x.org'],
    [' a@x.org\t', 'a@x.org'],
    ['Élan@x.org', 'élan@x.org'],
    ['E\u0301lan@x.org', 'élan@x.org'],
    ['ada@BÜCHER.example', 'ada@xn--bcher-kva.example'],
    ['ada@bu\u0308cher.example', 'ada@xn--bcher-kva.example'],
    ['ada@x。org', 'ada@x.org'],
    ["o'brien+marks@school.example", "o'brien+marks@school.example"],
    ['root@localhost', 'root@localhost'],
  ])('%j is %s', (typed, normal) => {
    expect(normalEmail(typed)).toBe(normal)
  })

  test.each([
    '',
    '@',
    'a@',
    '@x.org',
    'a',
    'a@b@c.org',
    'a b@x.org',
    'a@x org',
    'a,b@x.org',
    'a;b@x.org',
    '"a"@x.org',
    '<a@x.org>',
    'a@x.org\r\nBcc: b@x.org',
    'a\u0000@x.org',
    'a\u200b@x.org',
    'a\ud800@x.org',
    'a@ex%41mple.org',
    'a@x.org/..',
    'a@x.org:25',
    'a@[127.0.0.1]',
    'a@127.0.0.1',
    'a@127.1',
    'a@1',
    'a@x..org',
    'a@x.org.',
    'a@.org',
    'a@-x.org',
    'a@x-.org',
    'a@xn--a',
    `a@${'a'.repeat(64)}.org`,
    `${'a'.repeat(249)}@x.org`,
    `${'😀'.repeat(130)}@x.org`,
  ])('%j is refused', (typed) => {
    expect(() => normalEmail(typed)).toThrow(expect.objectContaining({ status: 400, code: 'validation_failed' }))
  })

  test('254 characters are still an address', () => {
    expect(normalEmail(`${'a'.repeat(248)}@x.org`)).toHaveLength(254)
  })

  test('a normal form is its own normal form, and anything else is a refusal', () => {
    const normal = (text: string) => {
      try {
        return normalEmail(text)
      } catch (error) {
        expect(error).toMatchObject({ code: 'validation_failed' })
        return null
      }
    }
    const part = fc.string({ unit: 'grapheme', maxLength: 12 })
    fc.assert(
      fc.property(part, part, (local, domain) => {
        const once = normal(`${local}@${domain}`)
        if (once !== null) expect(normal(once)).toBe(once)
      }),
      { seed: 20260112, numRuns: 2_000 },
    )
  })
})
