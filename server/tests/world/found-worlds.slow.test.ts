import { expect } from 'vitest'
import { test } from './found.stage.ts'
import { formerFaultsOf, simulate } from './run.ts'

/** Worlds, most of them beyond those that `npm test` lives, each of which showed a mistake that no shorter story tells; without its mending it does again, with the faults and the actions that there were then. */
test.each([
  [113, 'a deleted row that stays at a laptop is forgotten with what it stays for where its parent does not know it'],
  [1374, 'a refused deletion leaves what the parent says of the row'],
  [2444, 'two copies of a laptop have met two parents'],
  [2539, 'the rows of people begin anew with those of the school'],
  [2764, 'what a refusal gives back keeps the maximum above its marks'],
  [3080, 'what is refused of a row takes nothing from what says that it is there'],
  [3479, 'a second parent’s refusal of what is gone both here and there changes nothing here'],
  [3643, 'what was refused to be deleted does not stand against the row that waits'],
  [4100, 'a right that was lost to make a row and one to delete it are two records'],
  [4166, 'a book that may not be sent does not come back as sent with its deletion'],
  [4442, 'who stood in the way of a subject and is refused gives its code back'],
  [4878, 'a parent that stayed for a row that waited goes when that waits no more'],
  [7509, 'what stays of an assessment keeps its maximum above its marks when one of them goes'],
  [8281, 'a conflict that was found on a laptop is sent before what its user may not read goes'],
  [9333, 'a parent that stayed for a row that was refused goes when that is written over'],
  [8051, 'a sent book that a laptop brings back comes with what others wrote in it'],
  [8748, 'a book that went with a right, and is made again, counts for nothing that was written in it before'],
  [5772, 'whoever changes a row that stays though deleted does not end the deletion without a word'],
])('world %i: %s', { timeout: 300_000 }, async (seed) => {
  expect((await simulate(seed, { events: 200, faults: formerFaultsOf(seed), hasStructure: false })).failures).toEqual([])
})
