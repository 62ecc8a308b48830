import fc from 'fast-check'
import { expect, test } from 'vitest'
import { localPath } from './local-path.ts'

test.each([
  ['/', '/'],
  ['/marks/3b?term=1#a', '/marks/3b?term=1#a'],
  [undefined, '/'],
  ['', '/'],
  ['marks', '/'],
  ['//evil.example', '/'],
  ['/\\evil.example', '/'],
  ['/.//evil.example', '/'],
  ['/x/..//evil.example/', '/'],
  ['/\t/evil.example', '/'],
  ['https://evil.example/', '/'],
  ['javascript:alert(1)', '/'],
  ['/sign-in?next=/sign-in', '/'],
])('%j leads to %j', (next, path) => {
  expect(localPath(next)).toBe(path)
})

test('never leads to another site', () => {
  const tricky = fc
    .array(fc.constantFrom('/', '\\', '\t', '\n', '.', ':', '@', '%2f', 'evil.example', 'http', ' ', '?', '#'))
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(fc.oneof(fc.string(), tricky), (next) => {
      const path = localPath(next)
      expect(new URL(path, 'http://school.local:3000').origin).toBe('http://school.local:3000')
      expect(path.startsWith('/')).toBe(true)
    }),
  )
})
