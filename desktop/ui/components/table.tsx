import type { UseQueryResult } from '@tanstack/react-query'
import { Fragment, type ReactNode, useDeferredValue } from 'react'
import { figure } from '../words/format.ts'
import layout from './layout.module.css'
import styles from './page.module.css'
import { Answer } from './page.tsx'

export type Column<Row> = {
  head?: string
  /** Needed where `head` is no text. */
  id?: string
  /**
   * `number`: aligned right, digit under digit. `name`: another name than the row's, which may be long. `hidden`: the head is only for
   * screen readers.
   */
  look?: 'number' | 'name' | 'hidden'
  /** A head cell with more than the name of the column, instead of the plain one. */
  th?: ReactNode
  className?: string | undefined
  /** The cells at the end of the column, one for each row of the foot; the first column has the names of these rows. */
  feet?: readonly ReactNode[] | undefined
  cell: (row: Row, at: number, rows: readonly Row[]) => ReactNode
}

/** A column of figures with two decimals; – where a row has none. */
export const figureColumn = <Row,>(head: string, figureOf: (row: Row) => number | null | undefined): Column<Row> => ({
  head,
  look: 'number',
  cell: (row) => figure(figureOf(row) ?? null),
})

type TableProps<Row> = {
  label: string
  columns: readonly (Column<Row> | false)[]
  rows: readonly Row[]
  keyOf: (row: Row) => string | number
  /** The index of the column that names the row; null where none does. */
  rowName?: number | null
  /**
   * Whether cells are compared across rows and columns. Then the table scrolls sideways on a telephone. Any other table shows each row
   * there as a block: its name, and each value below the head of its column.
   */
  wide?: boolean
}

/** The number of rows that are visible when a page opens. */
const FIRST_ROWS = 50

/**
 * A table that scrolls if it is wider than the page; `label` is its name for screen readers. The first rows are shown before the others are
 * rendered.
 */
export function Table<Row>({ label, columns, rows, keyOf, rowName = 0, wide = false }: TableProps<Row>) {
  const isWhole = useDeferredValue(true, false)
  const shown = columns
    .filter((column) => column !== false)
    .map((column) => ({
      ...column,
      key: column.id ?? column.head,
      className: column.look === 'number' || column.look === 'name' ? styles[column.look] : column.className,
    }))
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms; a region would be one landmark too many beside its card.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard (WCAG 2.1.1).
    <div role="group" className={`${layout['box']} ${styles['scroller']}`} aria-label={label} tabIndex={0}>
      <table className={`${styles['table']} ${wide ? '' : styles['stacks']}`} data-wide={wide || undefined}>
        <thead>
          <tr>
            {shown.map(({ key, head, look, th, className }) => (
              <Fragment key={key}>
                {th ?? (
                  <th scope="col" className={className}>
                    {look === 'hidden' ? <span className="hidden">{head}</span> : <bdi>{head}</bdi>}
                  </th>
                )}
              </Fragment>
            ))}
          </tr>
        </thead>
        <tbody>
          {(isWhole ? rows : rows.slice(0, FIRST_ROWS)).map((row, at) => (
            <tr key={keyOf(row)}>
              {shown.map(({ key, head, look, className, cell }, place) => {
                const [Cell, scope] = place === rowName ? (['th', 'row'] as const) : (['td', undefined] as const)
                return (
                  <Cell key={key} scope={scope} className={className} data-label={look === 'hidden' ? undefined : head}>
                    {cell(row, at, rows)}
                  </Cell>
                )
              })}
            </tr>
          ))}
        </tbody>
        <Feet columns={shown} />
      </table>
    </div>
  )
}

type FeetProps = { columns: readonly Pick<Column<never> & { key: string | undefined }, 'key' | 'head' | 'className' | 'feet'>[] }

function Feet({ columns }: FeetProps) {
  const names = columns[0]?.feet ?? []
  if (names.length === 0) return null
  return (
    <tfoot className={styles['foot']}>
      {names.map((_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are always the same, in the same order.
        <tr key={row}>
          {columns.map(({ key, head, className, feet }, place) => {
            const [Cell, scope] = place === 0 ? (['th', 'row'] as const) : (['td', undefined] as const)
            return (
              <Cell key={key} scope={scope} className={className} data-label={head}>
                {feet?.[row]}
              </Cell>
            )
          })}
        </tr>
      ))}
    </tfoot>
  )
}

type AnswerTableProps<Row> = Omit<TableProps<Row>, 'rows' | 'keyOf'> & { of: UseQueryResult<readonly Row[]>; empty?: ReactNode }

/** The rows of a query; `empty` instead of an empty list. */
export const AnswerTable = <Row extends { id: string }>({ of, empty, ...table }: AnswerTableProps<Row>) => (
  <Answer of={of} empty={empty}>
    {(rows) => <Table {...table} rows={rows} keyOf={({ id }) => id} />}
  </Answer>
)
