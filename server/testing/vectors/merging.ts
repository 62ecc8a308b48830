import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { conflictState, keptFrom } from '@markbook/sync/merge/conflict'
import { mergeRows } from '@markbook/sync/merge/merge'
import * as settle from '@markbook/sync/merge/settle'
import type { RowState, Values } from '@markbook/sync/merge/state'
import { packRows } from '@markbook/sync/protocol/page'
import { stamp } from '@markbook/sync/stamp'
import { type Writer, written } from '@markbook/sync/tests/states'
import { comparedText, digestOfRow } from '../../replication/scope/verify.ts'
import { hill, markOf, maths, quiz, teacher, zoe } from './small-school.ts'

const [SCHOOL, LAPTOP] = ['01900000-0000-7000-8000-0000000000a1', '01900000-0000-7000-8000-0000000000a2'] as const
const here: Writer = { node: SCHOOL, actor: '01900000-0000-7000-8000-0000000000b1' }
const there: Writer = { node: LAPTOP, actor: teacher.id }

const made = (table: Replicated, values: Values, id: string) =>
  written(table, null, here, { school_id: hill, ...values }, { at: 1_000, nr: 1, id })
const mark = made('grade', { assessment_id: quiz, student_id: zoe, score: 6, is_excluded: false }, markOf(zoe))
const test = made(
  'assessment',
  { subject_id: maths, title: 'Fractions', max_score: 10, assessment_type: 'coursework', is_excluded: false },
  quiz,
)
const book = made('report_book', { student_id: zoe, report_type: 'term', status: 'draft', snapshot: { entries: [] } }, quiz)

type Case = { what: string; table: Replicated; a: RowState; b: RowState }

/** A row after a local write, and the merges of two states. */
export const merging = () => ({ writes: writes(), merges: merges() })

function writes() {
  const write = (what: string, previous: RowState | null, more: Partial<Parameters<typeof stamp>[1]>) => {
    const asked = { units: ['score'], node: LAPTOP, now: 2_000, actor: teacher.id, ...more }
    return { what, previous: previous && versionsOf(previous), write: asked, gives: stamp(previous, asked) }
  }
  const ahead = written('grade', mark, here, { score: 7 }, { at: 5_000, nr: 2 })
  const gone = written('grade', mark, here, {}, { at: 1_500, nr: 2, deletes: true })
  return [
    write('a new row: every unit, and its existence', null, { units: ['row', 'score', 'remarks', 'exclusion'] }),
    write('a change', mark, {}),
    write('a clock that is behind the unit’s last write', ahead, {}),
    write('a deletion', mark, { units: ['row'], deletes: true }),
    write('a change to a row that was deleted and stayed: it exists again', gone, {}),
    write('a unit that remembers its highest value', test, { units: ['scoring'], high: { scoring: 8 } }),
  ]
}

const versionsOf = ({ vv, units, alive }: RowState) => ({ vv, units, alive })

function cases(): Case[] {
  const seven = written('grade', mark, here, { score: 7 }, { at: 2_000, nr: 2 })
  const eight = written('grade', mark, there, { score: 8 }, { at: 3_000, nr: 1 })
  const seen = written('grade', seven, there, { score: 9 }, { at: 1_500, nr: 1 })
  const remark = written('grade', mark, there, { remarks: 'Well done' }, { at: 3_000, nr: 1 })
  const gone = written('grade', mark, here, {}, { at: 4_000, nr: 3, deletes: true })
  const sent = written('report_book', book, here, { status: 'sent_to_ministry', sent_snapshot: {} }, { at: 2_000, nr: 2 })
  const published = written('report_book', book, there, { status: 'published' }, { at: 3_000, nr: 1 })
  const lower = written('assessment', test, here, { max_score: 8 }, { at: 2_000, nr: 2 })
  const titled = written('assessment', test, there, { title: 'Halves' }, { at: 3_000, nr: 1 })
  const extra = { voice: { voice_note: 'louder' } }
  const newer = {
    ...mark,
    units: { ...mark.units, voice: [LAPTOP, 1, 2_000, teacher.id] as const },
    vv: { ...mark.vv, [LAPTOP]: 1 },
    extra,
  }
  const grown = { ...seven, extra: { score: { half_mark: true } } }
  return [
    { what: 'one write saw the other: it stands, whatever the clocks say', table: 'grade', a: seven, b: seen },
    { what: 'neither saw the other: the later stands, and the other is a conflict', table: 'grade', a: seven, b: eight },
    { what: 'two units: both stand', table: 'grade', a: seven, b: remark },
    { what: 'a deletion meets a write that it had not seen: the row lives', table: 'grade', a: gone, b: eight },
    { what: 'a deletion meets what it had seen', table: 'grade', a: gone, b: mark },
    { what: 'steps: the furthest stands, though it is the earlier', table: 'report_book', a: sent, b: published },
    { what: 'the highest value of a unit is kept beside the latest', table: 'assessment', a: lower, b: titled },
    { what: 'a unit of a newer program travels on', table: 'grade', a: seven, b: newer },
    { what: 'a column that a newer program added to a unit travels on', table: 'grade', a: mark, b: grown },
    { what: 'one write, of which an older program did not keep a column', table: 'grade', a: seven, b: grown },
  ]
}

const merges = () =>
  cases().map(({ what, table, a, b }) => {
    const { state, losers } = mergeRows(table, descriptions[table], a, b)
    const conflicts = losers.map((loser) => conflictState(hill, 1, keptFrom(table, state.id, loser)))
    return { what, table, a, b, gives: state, conflicts }
  })

/** Rules between rows: the values that replace a row's claim. */
export function rules() {
  const subject = (id: number, code: string) =>
    made('subject', { name: code, code, is_active: true, sort_order: 1 }, `01900000-0000-7000-8000-0000000003${id}`)
  const subjects = [subject(22, 'MA'), subject(11, 'MA')]
  const numbers = subjects.map((state) => ({ ...state, values: { student_number: '7' } }))
  const lower = written('assessment', test, here, { max_score: 8 }, { at: 2_000, nr: 2 })
  const frozen = {
    snapshot: { entries: [] },
    class_teacher_remark: 'Kind',
    conduct: null,
    attendance_percentage: 98,
    student_group_id: quiz,
  }
  const sent = written(
    'report_book',
    book,
    here,
    { status: 'sent_to_ministry', sent_snapshot: { frozen: { ...frozen, entries: [] } }, class_teacher_remark: 'Late' },
    { at: 2_000, nr: 2 },
  )
  const member = (id: number, by: Writer, at: number) =>
    written(
      'school_management',
      made('school_management', { user_id: zoe, role: 'admin', is_active: true }, `01900000-0000-7000-8000-0000000004${id}`),
      by,
      { role: 'teacher' },
      { at, nr: 2 },
    )
  const members = [member(11, here, 2_000), member(22, there, 3_000)]
  return {
    taken: { rows: subjects, column: 'code', stands: stood(settle.settleUniqueClaims('code', subjects, { nullable: false })) },
    taken_where_it_may_be_empty: {
      rows: numbers,
      column: 'student_number',
      stands: stood(settle.settleUniqueClaims('student_number', numbers, { nullable: true })),
    },
    score_above_maximum: { assessment: lower, highest_score: 9, stands: settle.settleMaximum(lower, 9) },
    sent: { book: sent, stands: settle.settleBook(sent) },
    last_admin: { members, stands: settle.settleAdmins(members) },
  }
}

const stood = (settled: ReadonlyMap<string, settle.Settled>) => Object.fromEntries(settled)

/** Two rows of one transaction and one of another, separated by a third column, as a sheet. */
export function sheets() {
  const other = written(
    'grade',
    null,
    here,
    { school_id: hill, assessment_id: quiz, student_id: maths, score: 9, is_excluded: false },
    told(2),
  )
  const later = written(
    'grade',
    null,
    there,
    { school_id: hill, assessment_id: quiz, student_id: quiz, score: 3, is_excluded: false },
    told(3),
  )
  const shared = { vv: mark.vv, units: mark.units, alive: mark.alive }
  const rows = [mark, { ...other, ...shared }, later].map((state) => ({ table: 'grade' as const, state }))
  return { rows, sheets: packRows(rows) }
}

const told = (nr: number) => ({ at: 1_000, nr, id: `01900000-0000-7000-8000-00000000050${nr}` })

/** The compared values of two rows, and the digest of their table. */
export function comparing() {
  const rows = sheets().rows
  const digests = rows.map((row) => ({ state: row.state, text: comparedText(row), digest: hex(digestOfRow(row)) }))
  const sum = rows.reduce((all, row) => BigInt.asUintN(128, all + digestOfRow(row)), 0n)
  return { table: 'grade', rows: digests, count: rows.length, digest: hex(sum) }
}
const hex = (digest: bigint) => digest.toString(16).padStart(32, '0')
