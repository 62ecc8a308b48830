import type { ClassTerm } from '@markbook/shared/contract/calculations'
import type { Term } from '@markbook/shared/contract/terms'
import { useQuery } from '@tanstack/react-query'
import ArrowDown from 'lucide-react/icons/arrow-down'
import ArrowUp from 'lucide-react/icons/arrow-up'
import Equal from 'lucide-react/icons/equal'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { Checkbox, InlineSelect, Options } from '../../components/field.tsx'
import { Icon } from '../../components/icon.tsx'
import layout from '../../components/layout.module.css'
import { Answer, Empty } from '../../components/page.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { figure } from '../../words/format.ts'
import { listedName } from '../../words/names.ts'
import { termLabel } from '../../words/term-label.ts'
import { Sheet } from './class-tables.tsx'
import { type ComparedStudent, compareTerms, type Difference, directionOf } from './comparison.ts'
import { FigureSign } from './partial-figures.tsx'
import styles from './results.module.css'
import { useResultsSearch } from './results-search.ts'
import { sortColumn, sortRows } from './sort-head.tsx'

type Props = { classId: string; term: Term; terms: readonly Term[]; result: ClassTerm }

/** Compares the term with another one of the year; by default the former one. */
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
            <Options of={others.map(({ id, name }) => ({ id, name: termLabel(name) }))} />
          </InlineSelect>
          <Checkbox
            label={t('compare.whole')}
            checked={search.whole === true}
            onChange={({ target }) =>
              change(({ whole: _before, ...kept }) => (target.checked ? { ...kept, whole: true as const } : kept), true)
            }
          />
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
  const { sort = 'name', down = false, whole = false } = search
  const differenceIn = ({ overall, bySubjectId }: ComparedStudent, by: string): Difference | undefined => {
    const found = by === 'overall' ? overall : bySubjectId.get(by)
    return whole && found?.isPartial ? undefined : found
  }
  const sorted = sortRows(rows, sort, down, (row) => differenceIn(row, sort)?.by ?? null)
  const columnOf = (head: { by: string; name: string; code?: string }) =>
    sortColumn<ComparedStudent>(head, (row) => <DifferenceFigure difference={differenceIn(row, head.by)} />)
  const columns: Column<ComparedStudent>[] = [
    sortColumn({ by: 'name', name: t('pupil') }, ({ student }) => (
      <span className={styles['name']} title={listedName(student)} dir="auto">
        {listedName(student)}
      </span>
    )),
    columnOf({ by: 'overall', name: t('overall') }),
    ...subjects.map(({ id, name, code }) => columnOf({ by: id, name, code })),
  ]
  const hasPartial = !whole && rows.some(({ overall }) => overall.isPartial)
  return (
    <>
      <Sheet subjects={subjects.length}>
        <Table wide label={t('views.compare')} columns={columns} rows={sorted} keyOf={({ student }) => student.id} />
      </Sheet>
      {hasPartial && (
        <p className={layout['legend']}>
          <span>
            <span className={styles['sign']}>†</span> {t('compare.partial')}
          </span>
        </p>
      )}
    </>
  )
}

const arrows = { up: ArrowUp, down: ArrowDown, same: Equal } as const

/** A difference with an arrow, for screen readers with a word; the title has both results. */
function DifferenceFigure({ difference }: { difference: Difference | undefined }) {
  const { t } = useTranslation('results')
  if (!difference || difference.by === null) return <span className={styles['difference']}>–</span>
  const direction = directionOf(difference.by)
  const title = t('compare.fromTo', { before: figure(difference.before), now: figure(difference.now) })
  return (
    <span className={styles['difference']} title={title}>
      <span className={styles[direction]}>
        <Icon of={arrows[direction]} />
      </span>
      <span className="hidden">{t(`compare.${direction}`)} </span>
      {direction !== 'same' && figure(Math.abs(difference.by))}
      <span className={styles['signs']}>{difference.isPartial && <FigureSign of="partial" says={t('compare.partial')} />}</span>
    </span>
  )
}
