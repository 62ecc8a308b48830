import { keysOf } from '@markbook/server/http/tokens'
import { openDatabase, serveOnly } from './bare.ts'
import { naiveTerm } from './naive-term.ts'
import { callers } from './signed-in.ts'

const [folder = '', secret = ''] = process.argv.slice(2)
const database = openDatabase(folder)
const callerOf = callers(database, keysOf(secret).access)
const resultOf = naiveTerm(database)

/** `GET /api/calculations/class-term` for an administrator. */
serveOnly((request) => {
  const { school_id } = callerOf(request)
  const query = new URLSearchParams((request.url ?? '').slice((request.url ?? '').indexOf('?')))
  return JSON.stringify(resultOf(school_id, query.get('studentGroupId') ?? '', query.get('termId') ?? ''))
})
