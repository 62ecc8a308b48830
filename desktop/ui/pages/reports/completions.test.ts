import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bankOf, completions, hasOthers } from './completions.ts'

const zoe = (text: string) => ({ text, firstName: 'Zoë' })

describe('suggestions of remarks', () => {
  test('have each remark once, the most used first', () => {
    const bank = bankOf([zoe('Works well.'), zoe('Careless.'), zoe(' Works well. '), zoe('')])
    expect(completions(bank, '', 'Mei')).toEqual(['Works well.', 'Careless.'])
  })

  test('replace the first name in the remark by that of the pupil', () => {
    const bank = bankOf([zoe('Zoë reads with joy; I wish Zoë a good summer.'), { text: 'Ann had an Annual prize.', firstName: 'Ann' }])
    expect(completions(bank, 'mei reads', 'Mei')).toEqual(['Mei reads with joy; I wish Mei a good summer.'])
    expect(completions(bank, '', 'Mei')).toContain('Mei had an Annual prize.')
  })

  test('list remarks that begin with the text before those that contain it, whatever accents and case', () => {
    const bank = bankOf([zoe('A steady term.'), zoe('Élan vital: steady.'), zoe('Steady work.')])
    expect(completions(bank, 'STEADY', 'Mei')).toEqual(['Steady work.', 'A steady term.', 'Élan vital: steady.'])
    expect(completions(bank, 'elan', 'Mei')).toEqual(['Élan vital: steady.'])
  })

  test('leave out the text that is in the field', () => {
    expect(completions(bankOf([zoe('Steady work.')]), 'Steady work.', 'Mei')).toEqual([])
  })

  test('differ between no other remark and none that matches', () => {
    const bank = bankOf([{ ...zoe('Zoë works well.'), rowId: 'zoe' }], 'mei')
    expect([completions(bank, 'Loud', 'Mei'), hasOthers(bank, 'Loud', 'Mei')]).toEqual([[], true])
    expect(hasOthers(bank, ' mei works well. ', 'Mei')).toBe(false)
    expect(hasOthers(bankOf([{ ...zoe('Loud'), rowId: 'zoe' }], 'zoe'), 'Lou', 'Zoë')).toBe(false)
  })

  test('leave out a half-typed remark for its own row, and not for the others', () => {
    const written = [{ ...zoe('A good te'), rowId: 'zoe' }, { ...zoe('A good year.'), rowId: 'mei' }, zoe('A good term before.')]
    expect(completions(bankOf(written, 'zoe'), 'A good', 'Zoë')).toEqual(['A good term before.', 'A good year.'])
    expect(completions(bankOf(written, 'mei'), 'A good', 'Mei')).toEqual(['A good te', 'A good term before.'])
  })

  test('contain the typed text, have none twice, and are limited', () => {
    const remark = fc.record({ text: fc.string({ maxLength: 12 }), firstName: fc.constantFrom('', 'Zoë', 'Al', '.*') })
    fc.assert(
      fc.property(fc.array(remark, { maxLength: 12 }), fc.string({ maxLength: 3 }), (written, typed) => {
        const offered = completions(bankOf(written), typed, 'Mei', 4)
        expect(offered.length).toBeLessThanOrEqual(4)
        expect(new Set(offered).size).toBe(offered.length)
      }),
    )
  })
})
