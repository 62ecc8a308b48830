import { afterEach, expect } from 'vitest'
import { lostPresses } from './browser.ts'

/** Vitest setup of the browser tests: fails where a page moved a button away while it was pressed. */
afterEach(() => expect(lostPresses.splice(0)).toEqual([]))
