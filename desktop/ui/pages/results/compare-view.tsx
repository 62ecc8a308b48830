import type { ClassTerm } from '@markbook/shared/contract/calculations'
import type { Term } from '@markbook/shared/contract/terms'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { InlineSelect, Options } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Answer, Empty } from '../../components/page.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { figure } from '../../words/format.ts'
import { listedName } from '../../words/names.ts'
import { type ComparedStudent, compareTerms, type Difference, directionOf } from './comparison.ts'
import styles from './results.module.css'
import { useResultsSearch } from './results-search.ts'
import { sortColumn, sortRows } from './sort-head.tsx'

type Props = { classId: string; term: Term; terms: readonly Term[]; result: ClassTerm }

/** Compares the term with another of the year, by default the one before. */
export function CompareView({ classId, term, terms, result }: Props) {
  const { t } = useTranslation(['results', 'app'])
  const { search, change } = useResultsSearch()
  const others = terms.filter(({ id }) => id !== term.id)
  const before = others.filter(({ sort_order }) => sort_order < term.sort_order).at(-1)
  const other = others.find(({ id }) => id === search.with) ?? before
  const query = { termId: other?.id ?? '', studentGroupId: classId }
  const earlier = useQuery({ ...ask('calculations', 'classTerm', { query }), enabled: other !== undefined })
  return (
    <>
      {others.length > 0 && (
        <div className={`${layout['toolbar']} ${styles['screen']}`}>
          <InlineSelect
            label={t('compare.with')}
            value={other?.id ?? ''}
            onChange={({ target }) => change((kept) => ({ ...kept, with: target.value }), true)}
          >
            {!other && <option value="">{t('app:action.choose')}</option>}
            <Options of={others.map(({ id, name }) => ({ id, name: t(`app:term.${name}`) }))} />
          </InlineSelect>
        </div>
      )}
      {other ? <Answer of={earlier}>{(then) => <Differences before={then} now={result} />}</Answer> : <Empty>{t('compare.none')}</Empty>}
    </>
  )
}

function Differences({ before, now }: { before: ClassTerm; now: ClassTerm }) {
  const { t } = useTranslation('results')
  const { search } = useResultsSearch()
  const order = useQuery(ask('subjects', 'list'))
  const { subjects, rows } = compareTerms(before, now, order.data?.map(({ id }) => id) ?? [])
  if (subjects.length === 0) return <Empty>{t('nothing')}</Empty>
  const { sort = 'name', down = false } = search
  const sorted = sortRows(rows, sort, down, (row) => (sort === 'overall' ? row.overall.by : (row.bySubjectId.get(sort)?.by ?? null)))
  const columns: Column<ComparedStudent>[] = [
    sortColumn({ by: 'name', name: t('pupil') }, ({ student }) => listedName(student)),
    sortColumn({ by: 'overall', name: t('overall') }, ({ overall }) => <DifferenceFigure difference={overall} />),
    ...subjects.map(({ id, name, code }) =>
      sortColumn<ComparedStudent>({ by: id, name: code, title: name }, ({ bySubjectId }) => (
        <DifferenceFigure difference={bySubjectId.get(id)} />
      )),
    ),
  ]
  return <Table label={t('views.compare')} columns={columns} rows={sorted} keyOf={({ student }) => student.id} />
}

const arrows = { up: '▲', down: '▼', same: '=' } as const

/** An arrow and words; the title names both results. */
function DifferenceFigure({ difference }: { difference: Difference | undefined }) {
  const { t } = useTranslation('results')
  if (!difference || difference.by === null) return '–'
  const direction = directionOf(difference.by)
  const title = t('compare.fromTo', { before: figure(difference.before), now: figure(difference.now) })
  return (
    <span className={direction === 'same' ? undefined : styles[direction]} title={title}>
      <span aria-hidden="true">{arrows[direction]} </span>
      {direction === 'same' ? t('compare.same') : t(`compare.${direction}`, { by: figure(Math.abs(difference.by)) })}
    </span>
  )
}
