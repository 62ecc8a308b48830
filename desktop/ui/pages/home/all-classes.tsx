import type { ClassProgress } from '@markbook/shared/contract/classes'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Badge, Card, numberCell, Table } from '../../components/page.tsx'
import { useChosenTerm } from '../../frame/chosen-term.ts'
import { BehindLine } from './behind-line.tsx'
import styles from './home.module.css'
import { byClass, type ClassTotal } from './progress.ts'
import { useBehind } from './use-behind.ts'

/** Every class of the term before report day: where marks are missing, where nothing was assessed, and whose books the marks have left behind. */
export function AllClasses({ rows }: { rows: readonly ClassProgress[] }) {
  const { t } = useTranslation('home')
  const totals = byClass(rows)
  const behind = useBehind(
    totals.map((total) => total.class.id),
    useChosenTerm(),
  )
  return (
    <Card title={t('classes.title')}>
      <Table label={t('classes.table')}>
        <thead>
          <tr>
            <th scope="col">{t('classes.class')}</th>
            <th scope="col" className={numberCell}>
              {t('classes.recorded')}
            </th>
            <th scope="col">{t('classes.state')}</th>
            {behind.length > 0 && <th scope="col">{t('classes.books')}</th>}
          </tr>
        </thead>
        <tbody>
          {totals.map((total) => (
            <tr key={total.class.id}>
              <th scope="row">
                <Link to="/classes/$classId" params={{ classId: total.class.id }}>
                  {total.class.name}
                </Link>
              </th>
              <td className={numberCell}>{t('marks.of', { recorded: total.recorded, expected: total.expected })}</td>
              <td>
                <ClassState total={total} />
              </td>
              {behind.length > 0 && (
                <td>
                  {behind
                    .filter(({ classId }) => classId === total.class.id)
                    .map((one) => (
                      <div key={one.type}>
                        <BehindLine behind={one} name={total.class.name} />
                      </div>
                    ))}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </Table>
    </Card>
  )
}

function ClassState({ total: { expected, missing, unassessed } }: { total: ClassTotal }) {
  const { t } = useTranslation('home')
  if (expected === 0) return <Badge tone="warn">{t('marks.noAssessments')}</Badge>
  return (
    <span className={styles['row']}>
      {missing === 0 && unassessed.length === 0 && <Badge tone="good">{t('classes.complete')}</Badge>}
      {missing > 0 && <Badge tone="warn">{t('marks.missing', { count: missing })}</Badge>}
      {unassessed.length > 0 && (
        <Badge tone="warn">
          {t('classes.unassessed', { count: unassessed.length, subjects: unassessed.map(({ name }) => name).join(', ') })}
        </Badge>
      )}
    </span>
  )
}
