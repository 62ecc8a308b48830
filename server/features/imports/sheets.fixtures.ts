import type { ImportReport } from '@markbook/shared/contract/imports'

/** A CSV file as a browser sends it. */
export const csv = (...lines: string[]): FormData => file(lines.join('\r\n'), 'table.csv', 'text/csv')

export const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
export const xlsx = (bytes: Uint8Array): FormData => file(bytes, 'table.xlsx', XLSX_TYPE)

export function file(content: string | Uint8Array, name: string, type: string): FormData {
  const form = new FormData()
  form.set('file', new File([content as never], name, { type }))
  return form
}

/** The rows of a report by action, from row `first` on. */
export const rowsOf = (actions: readonly string[], first = 2) => ({ rows: actions.map((action, at) => ({ row: first + at, action })) })

export const issuesOf = ({ rows }: ImportReport): string[] =>
  rows.flatMap(({ issues }) => issues.map(({ path, message }) => `${path}: ${message}`))
