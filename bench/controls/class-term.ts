import { serveOnly } from './bare.ts'
import { naiveTerm } from './naive-term.ts'
import { callerOf, database } from './signed-in.ts'

const resultOf = naiveTerm(database)

/** `GET /api/calculations/class-term` for an administrator. */
serveOnly((request) => {
  const { school_id } = callerOf(request)
  const query = new URLSearchParams((request.url ?? '').slice((request.url ?? '').indexOf('?')))
  return JSON.stringify(resultOf(school_id, query.get('studentGroupId') ?? '', query.get('termId') ?? ''))
})
