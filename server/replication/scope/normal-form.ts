import { isAcceptedByContract } from '@markbook/shared/contract/replicated'
import { MarkCodeName } from '@markbook/shared/contract/scalars'
import { TermName } from '@markbook/shared/contract/terms'
import { fillGradingModel, type GradingModelInput } from '@markbook/shared/domain/gradingModel'
import type { MarkCode } from '@markbook/shared/domain/mark-codes'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import type { Values } from '@markbook/sync/merge/state'
import { normalEmail } from '../../mail/emails.ts'

/** The reason goes with the exclusion. */
const exclusion = (values: Values): Values => (values['is_excluded'] ? values : { is_excluded: false, exclusion_reason: null })

/** A pass mark and bands, or neither. */
const scale = ({ scale_pass_mark = null, scale_bands = null }: Values): Values =>
  scale_pass_mark === null || scale_bands === null ? { scale_pass_mark: null, scale_bands: null } : { scale_pass_mark, scale_bands }

function year(values: Values): Values | null {
  const filled = fillGradingModel(values as GradingModelInput)
  return 'columns' in filled ? { ...filled.columns, ...scale(values) } : null
}

function email({ email: typed }: Values): Values | null {
  try {
    return { email: typeof typed === 'string' ? normalEmail(typed) : null }
  } catch {
    return null
  }
}

/** A snapshot stands only with the status `sent_to_ministry`. */
const sent = ({ status, sent_snapshot }: Values): Values => ({ sent_snapshot: status === 'sent_to_ministry' ? sent_snapshot : null })

const APPROVED = ['approved_at', 'approved_by'] as const
export const SENT_BACK = ['sent_back_at', 'sent_back_by', 'sent_back_reason', 'sent_back_hash'] as const

/** The columns of an approval, or those of a sending back, or neither. */
function approval(values: Values): Values {
  const isWhole = (columns: readonly string[]) => columns.every((column) => values[column] != null)
  const said = isWhole(APPROVED) ? APPROVED : isWhole(SENT_BACK) ? SENT_BACK : []
  return Object.fromEntries(
    [...APPROVED, ...SENT_BACK].map((column) => [column, said.some((one) => one === column) ? values[column] : null]),
  )
}

/** What the interface stores in `columns` where it is given these values; null where it refuses them. */
type NormalForm = { columns: readonly string[]; of: (values: Values) => Values | null }
const named = ({ name }: Values): Values | null => {
  const { data } = TermName.safeParse(name)
  return data === undefined ? null : { name: data }
}

/** Codes are compared letter by letter wherever they are read, so only the spelling that the interface writes is normal. */
const isCode = (code: unknown): boolean => MarkCodeName.safeParse(code).data === code
const coded = ({ status = null }: Values): Values => ({ status: status === null || isCode(status) ? status : null })
const codes = ({ mark_codes = null }: Values): Values => {
  const isNormal = !Array.isArray(mark_codes) || mark_codes.every((each: MarkCode) => isCode(each.code))
  return { mark_codes: isNormal ? mark_codes : null }
}

/** An assessment is for a class or for a set. */
const meant = ({ student_group_id = null, teaching_set_id = null }: Values): Values =>
  student_group_id !== null && teaching_set_id !== null
    ? { student_group_id, teaching_set_id: null }
    : { student_group_id, teaching_set_id }

const addressed: NormalForm = { columns: ['email'], of: email }
const normalForms: Partial<Record<Replicated, NormalForm>> = {
  academic_year: { columns: [...(descriptions.academic_year.units['model'] ?? []), 'scale_pass_mark', 'scale_bands'], of: year },
  assessment: {
    columns: ['is_excluded', 'exclusion_reason', 'student_group_id', 'teaching_set_id'],
    of: (values) => ({ ...exclusion(values), ...meant(values) }),
  },
  grade: { columns: ['is_excluded', 'exclusion_reason', 'status'], of: (values) => ({ ...exclusion(values), ...coded(values) }) },
  report_book: { columns: ['sent_snapshot', ...APPROVED, ...SENT_BACK], of: (values) => ({ ...sent(values), ...approval(values) }) },
  school: { columns: ['email', 'mark_codes'], of: (values) => ({ email: null, ...email(values), ...codes(values) }) },
  term: { columns: ['name'], of: named },
  user_profile: addressed,
}

/** Whether a person could have written these columns through the interface, as far as the row alone shows. */
export function isWritable(table: Replicated, values: Values, columns: readonly string[]): boolean {
  return isAcceptedByContract(table, values, columns) && isNormal(table, values, columns)
}

function isNormal(table: Replicated, values: Values, columns: readonly string[]): boolean {
  const form = normalForms[table]
  const own = form?.columns.filter((column) => columns.includes(column)) ?? []
  if (!form || own.length === 0) return true
  const normal = form.of(values)
  return normal !== null && own.every((column) => (values[column] ?? null) === (normal[column] ?? null))
}
