import { expect, test } from 'vitest'
import { environmentOf } from './backup/postgres.tools.ts'
import { socketFolder } from './postgres.ts'

test.each([
  ['postgres://markbook@%2Fvar%2Frun%2Fpostgresql/markbook', '/var/run/postgresql'],
  ['postgresql://markbook:a%2Fb@%2ftmp:5433/markbook?sslmode=disable', '/tmp'],
  ['postgres://%2Fvar%2Frun%2Fpostgresql/markbook', '/var/run/postgresql'],
  ['postgres://markbook:%2Ftmp@localhost/markbook', null],
  ['postgres://one,two/markbook', null],
  ['postgres://[::1]:5432/markbook', null],
])('%s: the folder of its socket is %s', (url, folder) => {
  expect(socketFolder(url)).toBe(folder)
})

test('pg_dump gets the socket folder as its host', () => {
  const url = 'postgres://markbook@%2Fvar%2Frun%2Fpostgresql/markbook'
  expect(environmentOf({ url, database: 'markbook' })).toMatchObject({ PGHOST: '/var/run/postgresql', PGUSER: 'markbook' })
})
