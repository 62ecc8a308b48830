import { expect, test } from 'vitest'
import { ledger } from './ledger.ts'

test('a client with too much under way is over, until some of it is done', () => {
  const books = ledger({ client: 100, all: 250 })
  const done = books.hold('a', 80)
  books.hold('a', 30)
  expect([books.isOver('a'), books.isOver('b')]).toEqual([true, false])
  done()
  done()
  expect([books.isOver('a'), books.total()]).toEqual([false, 30])
})

test('where all together are over, those who hold something go without, and the others do not', () => {
  const books = ledger({ client: 100, all: 250 })
  for (const client of ['a', 'b', 'c']) books.hold(client, 90)
  expect(['a', 'b', 'c', 'd'].map(books.isOver)).toEqual([true, true, true, false])
})
