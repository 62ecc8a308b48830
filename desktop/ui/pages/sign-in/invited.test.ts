import { limits } from '@markbook/shared/limits'
import { describe, expect, test } from 'vitest'
import { invitedBy } from './invited.ts'

const link = (said: Record<string, string>) => `#${new URLSearchParams({ email: 'ada@example.org', ...said })}`

describe('the link of an invitation', () => {
  test('has who invites to which school, with which code', () => {
    expect(invitedBy(link({ code: '123-456', school: 'St Brigid’s', by: 'Ngozi Okafor' }))).toEqual({
      email: 'ada@example.org',
      code: '123-456',
      school: 'St Brigid’s',
      by: 'Ngozi Okafor',
    })
    expect(invitedBy(link({}))).toEqual({ email: 'ada@example.org', code: null, school: null, by: null })
  })

  test.each(['', '#', '#school=St%20Brigid', `#email=${'a'.repeat(limits.text.email + 1)}`])('%j is none', (fragment) => {
    expect(invitedBy(fragment)).toBeNull()
  })

  test.each([
    'St Brigid’s. Go to https://example.org and pay',
    'See www.example.org',
    'St Brigid’s\nYour account is closed.',
    'S'.repeat(limits.text.name + 1),
  ])('a text that is no name is left out: %j', (school) => {
    expect(invitedBy(link({ school, by: 'Ngozi Okafor' }))).toMatchObject({ school: null, by: 'Ngozi Okafor' })
  })
})
