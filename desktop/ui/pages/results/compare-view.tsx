import type { ClassTerm } from '@markbook/shared/contract/calculations'
import type { Term } from '@markbook/shared/contract/terms'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { Answer, Empty, Table } from '../../components/page.tsx'
import { figure } from '../../words/format.ts'
import { type Compared, comparedTerms, type Difference, directionOf } from './comparison.ts'
import { listName } from './names.ts'
import styles from './results.module.css'
import { SortHead } from './sort-head.tsx'
import { byFigure } from './sorting.ts'
import { useResultsSearch } from './use-results-search.ts'

type Props = { classId: string; term: Term; terms: readonly Term[]; result: ClassTerm }

/** This term beside another of the year, the one before where nothing is said. */
export function CompareView({ classId, term, terms, result }: Props) {
  const { t } = useTranslation('results')
  const { search } = useResultsSearch()
  const others = terms.filter(({ id }) => id !== term.id)
  const before = others.filter(({ sort_order }) => sort_order < term.sort_order).at(-1)
  const other = others.find(({ id }) => id === search.with) ?? before
  const query = { termId: other?.id ?? '', studentGroupId: classId }
  const earlier = useQuery({ ...ask('calculations', 'classTerm', { query }), enabled: other !== undefined })
  return (
    <>
      {others.length > 0 && <TermChoice terms={others} chosen={other?.id} />}
      {other ? <Answer of={earlier}>{(then) => <Differences before={then} now={result} />}</Answer> : <Empty>{t('compare.none')}</Empty>}
    </>
  )
}

function TermChoice({ terms, chosen }: { terms: readonly Term[]; chosen: string | undefined }) {
  const { t } = useTranslation(['results', 'app'])
  const { change } = useResultsSearch()
  return (
    <div className={styles['toolbar']}>
      <label className={styles['switch']}>
        <span>{t('compare.with')}</span>
        <select value={chosen ?? ''} onChange={({ target }) => change((before) => ({ ...before, with: target.value }), true)}>
          {!chosen && <option value="">{t('app:action.choose')}</option>}
          {terms.map(({ id, name }) => (
            <option key={id} value={id}>
              {t(`app:term.${name}`)}
            </option>
          ))}
        </select>
      </label>
    </div>
  )
}

function sorted(rows: readonly Compared[], sort: string, down: boolean): Compared[] {
  if (sort === 'name') return down ? [...rows].reverse() : [...rows]
  return byFigure(rows, (row) => (sort === 'overall' ? row.overall.by : (row.bySubjectId.get(sort)?.by ?? null)), down)
}

function Differences({ before, now }: { before: ClassTerm; now: ClassTerm }) {
  const { t } = useTranslation('results')
  const { search } = useResultsSearch()
  const order = useQuery(ask('subjects', 'list'))
  const { subjects, rows } = comparedTerms(before, now, order.data?.map(({ id }) => id) ?? [])
  if (subjects.length === 0) return <Empty>{t('nothing')}</Empty>
  return (
    <Table label={t('views.compare')}>
      <thead>
        <tr>
          <SortHead isFirst by="name" name={t('pupil')} />
          <SortHead by="overall" name={t('overall')} />
          {subjects.map(({ id, name, code }) => (
            <SortHead key={id} by={id} name={code} title={name} />
          ))}
        </tr>
      </thead>
      <tbody>
        {sorted(rows, search.sort ?? 'name', search.down ?? false).map(({ student, overall, bySubjectId }) => (
          <tr key={student.id}>
            <th scope="row" className={styles['head']}>
              {listName(student)}
            </th>
            <Changed difference={overall} />
            {subjects.map(({ id }) => (
              <Changed key={id} difference={bySubjectId.get(id)} />
            ))}
          </tr>
        ))}
      </tbody>
    </Table>
  )
}

const arrows = { up: '▲', down: '▼', same: '=' } as const

/** An arrow and a word; what it was before stands in its title. */
function Changed({ difference }: { difference: Difference | undefined }) {
  const { t } = useTranslation('results')
  if (!difference || difference.by === null) return <td className={styles['cell']}>–</td>
  const direction = directionOf(difference.by)
  const words = t('compare.fromTo', { before: figure(difference.before), now: figure(difference.now) })
  return (
    <td className={styles['cell']} title={words}>
      <span className={direction === 'same' ? undefined : styles[direction]}>
        <span aria-hidden="true">{arrows[direction]} </span>
        {direction === 'same' ? t('compare.same') : t(`compare.${direction}`, { by: figure(Math.abs(difference.by)) })}
      </span>
    </td>
  )
}
