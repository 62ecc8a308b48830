import styles from './results.module.css'
import { useResultsSearch } from './use-results-search.ts'

type Props = { by: string; name: string; title?: string; isFirst?: boolean }

/** The head of a column that sorts the rows; pressed again, the other way round. */
export function SortHead({ by, name, title, isFirst = false }: Props) {
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
  // Figures begin with the best, names with A.
  const isDescending = by === 'name' ? down : !down
  return (
    <th
      scope="col"
      className={isFirst ? styles['head'] : styles['cell']}
      aria-sort={isSorted ? (isDescending ? 'descending' : 'ascending') : undefined}
    >
      <button type="button" className={styles['sorter']} title={title} onClick={press}>
        {name}
        <span aria-hidden="true">{isSorted ? (isDescending ? '▼' : '▲') : ''}</span>
      </button>
    </th>
  )
}
