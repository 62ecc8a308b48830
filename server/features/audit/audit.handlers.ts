import { setImmediate as turn } from 'node:timers/promises'
import { type AuditEntry, audit } from '@markbook/shared/contract/audit'
import { fullName } from '@markbook/shared/domain/full-name'
import { common } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { writeCsv } from '../../documents/csv.ts'
import { type Handlers, on, onFile, onGuard } from '../../http/handler.ts'
import type { Services } from '../../http/services.ts'
import { asSystem, type ReadTx } from '../../store/tx.ts'
import { entriesPage, type Filters } from './audit.entries.ts'
import { pastOfStudent, studentById } from './audit.queries.ts'
import { reportOfAudit } from './audit.report.ts'

const hereOf = ({ store, config }: Services) => ({ id: store.nodeId, name: config.nodeName })

type Context = { tx: ReadTx; caller: { school_id: string } }

/** Throws 404 unless the student is or was at the caller's school. */
async function demandStudent({ tx, caller: { school_id: school } }: Context, student: string | undefined): Promise<void> {
  if (student === undefined) return
  const known =
    (await studentById(tx, { school, id: student })).length > 0 ||
    (await pastOfStudent(tx, { school, near: student, row: student })).length > 0
  if (!known) throw common.notFound()
}

// All as the service: people who have left the school are still named in its history, and only the service reads runs of the audit.
export const auditHandlers: Handlers<typeof audit> = {
  report: onGuard(audit.report, ({ tx, caller, services }) => reportOfAudit(tx, caller.school_id, services.keys.seal), 'system'),

  entries: on(audit.entries, {
    as: 'system',
    load: (context, { targets }) => demandStudent(context, targets['studentId']),
    run: ({ tx, caller, services }, { query }) => entriesPage(tx, hereOf(services), caller.school_id, query),
  }),

  export: onFile(audit.export, {
    as: 'system',
    load: (context, { targets }) => demandStudent(context, targets['studentId']),
    run: async ({ caller }, { query }) => ({ school: caller.school_id, query }),
    finish: async ({ school, query }, services) => ({
      bytes: writeCsv({ head: HEAD, rows: await exported(services, school, query) }),
      contentType: 'text/csv; charset=utf-8',
      filename: 'History.csv',
    }),
  }),
}

const HEAD = ['time', 'person', 'person_id', 'server', 'kind', 'row', 'row_id', 'action', 'changes']

/** Reads page by page, each in its own transaction, so that others are not delayed. */
async function exported(services: Services, school: string, filters: Filters): Promise<(string | null)[][]> {
  const { perExport: most, searchesPerExport, max: page } = limits.audit.entries
  const rows: (string | null)[][] = []
  let next: string | undefined
  for (let looks = 0; looks < searchesPerExport && rows.length < most; looks += 1) {
    const asked = { ...filters, before: next, limit: Math.min(page, most - rows.length) }
    const found = await services.store.read(asSystem(), (tx) => entriesPage(tx, hereOf(services), school, asked))
    rows.push(...found.entries.map(cellsOf))
    if (found.next === null) return rows
    next = found.next
    await turn()
  }
  return [...rows, [next?.slice(0, 24) ?? null, 'Older entries were left out: choose days, or a person.']]
}

const cellsOf = ({ at, actor, node_name, entity, name, row_id, action, changes }: AuditEntry): (string | null)[] => [
  at,
  actor ? fullName(actor) : '',
  actor?.id ?? null,
  node_name,
  entity,
  name,
  row_id,
  action,
  Object.entries(changes)
    .map(([column, { before, after }]) => `${column}: ${[before, after].map(said).join(' → ')}`)
    .join('; '),
]

type Part = { letter?: string; minimum?: number; code?: string }

/** A value for a cell of a spreadsheet: of a list its members, of the results of a report book only that they were stored. */
function said(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(partText).join(', ')
  return typeof value === 'object' ? 'as they stood then' : String(value)
}

function partText(part: unknown): string {
  if (typeof part !== 'object' || part === null) return String(part)
  const { letter, minimum, code = '' } = part as Part
  return letter === undefined ? code : `${letter} ${minimum}`
}
