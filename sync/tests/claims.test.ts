import { describe, expect, test } from 'vitest'
import { clipped } from '../merge/claims.ts'

const TO = 40
const limitOf = (node: string) => (node === 'laptop' ? TO : 0)
const LARGE = 1_000_000_000_000

describe('what a state claims to have seen', () => {
  test('of a writer that the sender does not answer for is no more than is known of it', () => {
    expect(clipped({ school: LARGE, laptop: 9, centre: 3 }, { school: 5 }, limitOf)).toEqual({ school: 5, laptop: 9 })
    expect(clipped({ laptop: LARGE }, {}, limitOf)).toEqual({ laptop: TO })
  })

  test('stays as it is where it is true', () => {
    expect(clipped({ school: 5, laptop: 9 }, { school: 5, laptop: 3 }, limitOf)).toEqual({ school: 5, laptop: 9 })
  })
})
