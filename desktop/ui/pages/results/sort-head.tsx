import ArrowDown from 'lucide-react/icons/arrow-down'
import ArrowUp from 'lucide-react/icons/arrow-up'
import type { ReactNode } from 'react'
import { Icon } from '../../components/icon.tsx'
import type { Column } from '../../components/table.tsx'
import styles from './results.module.css'
import { useResultsSearch } from './results-search.ts'

/** `code`: shown instead of the name where there is little room. */
type Props = { by: string; name: string; code?: string }

/** A column head that sorts the rows. A second press reverses the order. */
function SortHead({ by, name, code }: Props) {
  const { search, change } = useResultsSearch()
  const { sort = 'name', down = false } = search
  const isSorted = sort === by
  const press = () =>
    change(
      ({ sort: _sort, down: _down, ...rest }) => ({
        ...rest,
        ...(by !== 'name' && { sort: by }),
        ...(isSorted && !down && { down: true as const }),
      }),
      true,
    )
  // Results begin with the best, names with A.
  const isDescending = by === 'name' ? down : !down
  return (
    <th scope="col" className={columnClass(by)} aria-sort={isSorted ? (isDescending ? 'descending' : 'ascending') : undefined}>
      <button type="button" className={styles['sorter']} title={code && name} onClick={press}>
        <span className={code ? styles['full'] : undefined}>{name}</span>
        {code && (
          <span className={styles['code']} aria-hidden="true">
            {code}
          </span>
        )}
        {isSorted && <Icon of={isDescending ? ArrowDown : ArrowUp} />}
      </button>
    </th>
  )
}

const columnClass = (by: string) => styles[by === 'name' ? 'head' : 'cell']

/** A column that sorts the rows by `name`, `overall` or the id of a subject. */
export const sortColumn = <Row,>(head: Props, cell: (row: Row) => ReactNode, feet?: readonly ReactNode[]): Column<Row> => ({
  id: head.by,
  th: <SortHead {...head} />,
  className: columnClass(head.by),
  feet,
  cell,
})

/** The rows sorted by `name` (their own order) or by a figure. */
export function sortRows<T>(rows: readonly T[], sort: string, down: boolean, figureOf: (row: T) => number | null): T[] {
  if (sort === 'name') return down ? [...rows].reverse() : [...rows]
  return byFigure(rows, figureOf, down)
}

/** The rows by a figure, the best first; with `down` the worst first. Rows without a figure are last, and equal rows keep their order. */
export function byFigure<T>(rows: readonly T[], figureOf: (row: T) => number | null, down: boolean): T[] {
  const sign = down ? 1 : -1
  return [...rows].sort((a, b) => {
    const [x, y] = [figureOf(a), figureOf(b)]
    if (x === null || y === null) return Number(x === null) - Number(y === null)
    return sign * (x - y)
  })
}
