import { describe, expect, test } from 'vitest'
import { shortened, table, wrap } from './table.ts'

describe('table', () => {
  test('is as wide as its content, and continues a long cell in the next line', () => {
    const rows = [
      ['NAME', 'WHAT'],
      ['PC-0231', 'laptop of Ada Nowak'],
      ['A name of many words', 'x'],
    ]
    expect(table(rows, [12, 40])).toEqual(['NAME        WHAT', 'PC-0231     laptop of Ada Nowak', 'A name of   x', 'many words'])
    expect(table([], [12, 40])).toEqual([])
  })

  test('counts characters as people see them', () => {
    expect(
      table(
        [
          ['Zoë 🙂', 'x'],
          ['Adam B', 'y'],
        ],
        [10, 10],
      ),
    ).toEqual(['Zoë 🙂   x', 'Adam B  y'])
  })
})

test('wrap breaks only a word that is longer than the line', () => {
  expect(wrap('one twenty three', 6)).toEqual(['one', 'twenty', 'three'])
  expect(wrap('abcdefgh i', 4)).toEqual(['abcd', 'efgh', 'i'])
  expect(wrap('', 4)).toEqual([])
})

test('control characters are removed', () => {
  const evil = 'Zoë\u001b[2J\u202eabc\r\nroot#'
  expect(wrap(evil, 80)).toEqual(['Zoë [2J abc root#'])
  expect(shortened(evil, 6)).toBe('Zoë [… '.trim())
})
