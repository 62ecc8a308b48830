import type { ReactNode } from 'react'
import type { Column } from '../../components/table.tsx'
import styles from './overview.module.css'
import { useOverviewSearch } from './overview-search.ts'

/** The head of a column that sorts the rows: by name from A, by a number from the greatest. A second press reverses the order. */
function SortedHead({ by, name }: { by: string; name: string }) {
  const { search, change } = useOverviewSearch()
  const isSorted = (search.sort ?? 'class') === by
  const isDown = search.down === true
  const press = () =>
    change(({ sort: _sort, down: _down, ...rest }) => ({
      ...rest,
      ...(by !== 'class' && { sort: by }),
      ...(isSorted && !isDown && { down: true }),
    }))
  const isDescending = (by === 'class') === isDown
  return (
    <th scope="col" aria-sort={isSorted ? (isDescending ? 'descending' : 'ascending') : undefined}>
      <button type="button" className={styles['sorter']} onClick={press}>
        {name}
        <span aria-hidden="true">{isSorted ? (isDescending ? '▼' : '▲') : ''}</span>
      </button>
    </th>
  )
}

export const sortedColumn = <Row,>(by: string, name: string, cell: (row: Row) => ReactNode): Column<Row> => ({
  id: by,
  head: name,
  th: <SortedHead by={by} name={name} />,
  cell,
})
