import { standardMarkCodes } from '@markbook/shared/domain/mark-codes'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isChange } from './paste.ts'
import { matchNames, planByName, readNamedBlock } from './paste-by-name.ts'

const named = (...names: string[]) =>
  names.map((name) => ({ first_name: name.split(' ')[0] ?? '', last_name: name.split(' ').slice(1).join(' ') }))
const pupils = named('Zoë Adeyemi', 'Mei Chen', 'Aoife Murphy', 'Seán Murphy', 'Élan Ó Briain', 'Łukasz Wójcik')
const found = (name: string) => {
  const [match] = matchNames([name], pupils)
  return match?.row === null ? match.how : `${match?.how} ${pupils[match?.row ?? -1]?.first_name}`
}

describe('readNamedBlock', () => {
  const read = (...block: string[][]) => readNamedBlock(block, pupils, [])

  test('finds a column of different words beside a column of marks', () => {
    expect(read(['Adeyemi Zoë', '12'], ['Chen Mei', ''])).toEqual({
      names: ['Adeyemi Zoë', 'Chen Mei'],
      rows: [['12'], ['']],
      headings: null,
    })
    expect(read(['Name', 'Quiz 1'], ['Adeyemi Zoë', '12'], ['', ''])).toEqual({
      names: ['Adeyemi Zoë'],
      rows: [['12']],
      headings: ['Quiz 1'],
    })
  })

  test('ignores other columns: row numbers, genders, remarks and statuses are neither names nor marks', () => {
    const names = ['Adeyemi Zoë', 'Chen Mei', 'Murphy Seán']
    expect(read(['1', 'Adeyemi', 'Zoë', '12'], ['2', 'Chen', 'Mei', '9'], ['3', 'Murphy', 'Seán', '7'])).toMatchObject({
      names,
      rows: [['12'], ['9'], ['7']],
    })
    expect(read(['Adeyemi Zoë', 'f', '12'], ['Chen Mei', 'f', '9'], ['Murphy Seán', 'm', '7'])).toMatchObject({
      names,
      rows: [['12'], ['9'], ['7']],
    })
    expect(
      read(['Adeyemi', 'Zoë', 'good work', '12'], ['Chen', 'Mei', 'try again', '9'], ['Murphy', 'Seán', 'well done', '7']),
    ).toMatchObject({
      names,
      rows: [['12'], ['9'], ['7']],
    })
    expect(read(['Adeyemi Zoë', 'abs'], ['Chen Mei', 'late'], ['Murphy Seán', '7'])).toMatchObject({
      names,
      rows: [['abs'], ['late'], ['7']],
    })
  })

  test('also reads tables of another class or of names alone, so that these are not placed by position', () => {
    expect(read(['Some Body', '12'], ['No Body', '9'])).toMatchObject({ names: ['Some Body', 'No Body'] })
    expect(read(['Adeyemi Zoë'], ['Chen Mei'])).toMatchObject({ names: ['Adeyemi Zoë', 'Chen Mei'], rows: [[], []] })
  })

  test('does not take a block of marks and statuses for names', () => {
    expect(read(['12', '7'], ['', '8'])).toBeNull()
    expect(read(['abs', '7'], ['abs', '8'], ['abs', '9'])).toBeNull()
    expect(read()).toBeNull()
  })
})

describe('matchNames', () => {
  test.each([
    ['Zoë Adeyemi', 'same Zoë'],
    ['ADEYEMI, Zoe', 'same Zoë'],
    ['Lukasz Wojcik', 'same Łukasz'],
    ['O’Briain Elan', 'like Élan'],
    ['Adeyemi Zeo', 'nobody'],
    ['Adeyemi Zoe Grace', 'like Zoë'],
    ['Adeymi Zoe', 'like Zoë'],
    ['Adeyemi Z.', 'like Zoë'],
    ['Chen', 'like Mei'],
    ['Murphy A', 'like Aoife'],
    ['Murphy', 'several'],
    ['Wójick Łukasz', 'like Łukasz'],
    ['Obama', 'nobody'],
    ['', 'nobody'],
  ])('%j: %s', (name, whose) => expect(found(name)).toBe(whose))

  test('a vowel sign is a letter: two names that differ only by one are different', () => {
    expect(matchNames(['राम शर्मा'], named('रमा शर्मा'))).not.toMatchObject([{ how: 'same' }])
    expect(matchNames(['राम शर्मा'], named('राम शर्मा'))).toEqual([{ row: 0, how: 'same' }])
  })

  test('a pupil with exactly the name is preferred to similar ones', () => {
    expect(matchNames(['Murphy Aoif', 'Murphy Aoife'], pupils).map(({ row, how }) => [row, how])).toEqual([
      [null, 'nobody'],
      [2, 'same'],
    ])
  })

  test('of two rows with one name the second has no pupil; a name that two pupils have matches neither', () => {
    expect(matchNames(['Chen Mei', 'Mei Chen'], pupils).map(({ row }) => row)).toEqual([1, null])
    expect(matchNames(['Chen Mei'], [...pupils, ...named('Mei Chen')])).toEqual([{ row: null, how: 'several' }])
  })

  test('every pupil of a class is found in any order, case and accents, and none twice', () => {
    const word = fc.stringMatching(/^[A-Z][a-zéöü]{5,9}$/)
    const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
    const people = fc.uniqueArray(fc.record({ first_name: word, last_name: word }), {
      minLength: 2,
      maxLength: 30,
      selector: ({ first_name, last_name }) => [plain(first_name), plain(last_name)].sort().join(' '),
    })
    fc.assert(
      fc.property(people, fc.array(fc.boolean(), { minLength: 30, maxLength: 30 }), (group, flips) => {
        const names = group.map(({ first_name, last_name }, at) =>
          flips[at] ? plain(`${first_name} ${last_name}`) : `${last_name.toUpperCase()}, ${first_name}`,
        )
        const shuffled = names.map((_, at) => names[names.length - 1 - at] ?? '')
        expect(matchNames(shuffled, group)).toEqual(names.map((_, at) => ({ row: names.length - 1 - at, how: 'same' })))
      }),
    )
  })

  test('no pupil is found twice, whatever is pasted', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', ' ', 'o'), maxLength: 8 })
    fc.assert(
      fc.property(
        fc.array(name, { maxLength: 12 }),
        fc.array(fc.record({ first_name: name, last_name: name }), { maxLength: 8 }),
        (names, group) => {
          const rows = matchNames(names, group).flatMap(({ row }) => row ?? [])
          expect(new Set(rows).size).toBe(rows.length)
        },
      ),
    )
  })
})

test('codes among the marks are neither names nor headings', () => {
  expect(readNamedBlock([['12'], ['EX'], ['15 late'], ['abs']], pupils, standardMarkCodes)).toBeNull()
  const name = (at: number) => `${pupils[at]?.last_name} ${pupils[at]?.first_name}`
  const read = readNamedBlock(
    [
      [name(0), 'abs'],
      [name(1), 'ex'],
      [name(2), 'abs'],
    ],
    pupils,
    standardMarkCodes,
  )
  expect([read?.rows, read?.headings]).toEqual([[['abs'], ['ex'], ['abs']], null])
})

describe('planByName', () => {
  const sheet = {
    rows: 6,
    pupils,
    maxScores: [20, 10, 100],
    titles: ['Quiz 1', 'Homework', 'Christmas exam'],
    codes: standardMarkCodes,
    valueAt: () => null,
    isFor: () => true,
  }
  const plan = (block: string[][], chosen = new Map<number, number | null>(), from = 0) => {
    const read = readNamedBlock(block, pupils, [])
    if (!read) throw new Error('no names')
    return planByName(read, from, chosen, sheet)
  }
  const marks = (planned: ReturnType<typeof plan>) =>
    planned.cells.flatMap((own, at) =>
      planned.again.has(at) ? [] : own.flatMap((cell) => (cell && isChange(cell) ? [[cell.row, cell.col, cell.text]] : [])),
    )

  test('places marks at the named pupils, from the chosen assessment on, also where a row is missing', () => {
    expect(
      marks(
        plan(
          [
            ['Murphy Seán', '5'],
            ['Adeyemi Zoë', '7'],
            ['Chen Mei', ''],
          ],
          undefined,
          1,
        ),
      ),
    ).toEqual([
      [3, 1, '5'],
      [0, 1, '7'],
    ])
  })

  test('places marks in the assessments that the headings name', () => {
    expect(
      marks(
        plan([
          ['Pupil', 'Christmas exam', 'quiz 1'],
          ['Chen Mei', '80', '12'],
          ['Zoe Adeyemi', '70', '11'],
        ]),
      ),
    ).toEqual([
      [1, 2, '80'],
      [1, 0, '12'],
      [0, 2, '70'],
      [0, 0, '11'],
    ])
  })

  test('leaves out columns with other headings where one heading names an assessment', () => {
    const block = [
      ['Pupil', 'Quiz 1', 'Total'],
      ['Chen Mei', '12', '99'],
      ['Zoe Adeyemi', '11', '98'],
    ]
    expect(plan(block, undefined, 1).columns).toEqual([0, null])
  })

  test('leaves out columns beyond the last assessment', () => {
    expect(
      plan(
        [
          ['Chen Mei', '1', '2'],
          ['Zoe Adeyemi', '3', '4'],
        ],
        undefined,
        2,
      ).columns,
    ).toEqual([2, null])
  })

  test('a choice replaces the match; two rows of one pupil are not saved', () => {
    const block = [
      ['Murphy', '5'],
      ['Somebody Else', '7'],
      ['Chen Mei', '9'],
    ]
    expect(marks(plan(block))).toEqual([[1, 0, '9']])
    expect(marks(plan(block, new Map([[0, 3]])))).toEqual([
      [3, 0, '5'],
      [1, 0, '9'],
    ])
    const twice = plan(block, new Map([[0, 1]]))
    expect([...twice.again]).toEqual([0, 2])
    expect(marks(twice)).toEqual([])
    expect(marks(plan(block, new Map([[2, null]])))).toEqual([])
  })
})
