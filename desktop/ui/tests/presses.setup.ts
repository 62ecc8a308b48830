import { afterEach, expect } from 'vitest'
import { lostPresses } from './browser.ts'

/** Vitest setup of the browser tests: in none of them does a page move a button from under the pointer that presses it. */
afterEach(() => expect(lostPresses.splice(0)).toEqual([]))
