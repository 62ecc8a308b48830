import { attendanceCodes } from '@markbook/shared/domain/attendance'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import layout from '../../components/layout.module.css'
import { Answer, Card, Empty } from '../../components/page.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { useChosenTerm } from '../../frame/chosen-term.ts'
import { day as dayText, percent } from '../../words/format.ts'
import { listedName } from '../../words/names.ts'
import styles from './attendance.module.css'
import type { MonthOfClass, Register } from './model/register.ts'
import type { Pupil } from './register-list.tsx'

type MonthProps = { day: string; month: MonthOfClass; pupils: readonly Pupil[]; onChoose: (place: Partial<Register>) => void }

/** A row for each pupil, a column for each register of the month. A column's head opens its register. */
export function MonthTable({ day, month, pupils, onChoose }: MonthProps) {
  const { t } = useTranslation('attendance')
  const placeOf = (row: { day: string; lesson: number }) => `${row.day} ${row.lesson}`
  const registers = [...month.registers].sort((a, b) => a.day.localeCompare(b.day) || a.lesson - b.lesson)
  const codes = new Map(month.marks.map((mark) => [`${mark.student_id} ${placeOf(mark)}`, mark.code]))
  const columns: Column<Pupil>[] = [
    { head: t('pupil'), cell: listedName },
    ...registers.map((register): Column<Pupil> => {
      const place = register.lesson === 0 ? t('wholeDay') : t('lessonOf', { number: register.lesson })
      return {
        id: placeOf(register),
        th: (
          <th key={placeOf(register)} scope="col" className={styles['session']}>
            <button
              type="button"
              aria-label={`${dayText(register.day)}, ${place}`}
              onClick={() => onChoose({ day: register.day, lesson: register.lesson })}
            >
              {Number(register.day.slice(8))}
              {register.lesson > 0 && <small>{register.lesson}</small>}
            </button>
          </th>
        ),
        className: styles['session'],
        cell: ({ id }) => {
          const code = codes.get(`${id} ${placeOf(register)}`) ?? 'present'
          return (
            <span data-code={code} title={t(`code.${code}`)}>
              <span aria-hidden="true">{t(`sign.${code}`)}</span>
              <span className="hidden">{t(`code.${code}`)}</span>
            </span>
          )
        },
      }
    }),
  ]
  const name = new Intl.DateTimeFormat(document.documentElement.lang, { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${day}T00:00:00Z`),
  )
  return (
    <Card title={name}>
      {registers.length === 0 ? (
        <Empty>{t('monthNone')}</Empty>
      ) : (
        <>
          <Table label={name} columns={columns} rows={pupils} keyOf={({ id }) => id} />
          <ul className={layout['legend']}>
            {attendanceCodes.map((code) => (
              <li key={code}>{t('legend', { sign: t(`sign.${code}`), word: t(`code.${code}`) })}</li>
            ))}
          </ul>
        </>
      )}
    </Card>
  )
}

/** What each pupil's attendance adds up to in the chosen term. */
export function TermTotals({ classId, pupils }: { classId: string; pupils: readonly Pupil[] }) {
  const { t } = useTranslation('attendance')
  const { term } = useChosenTerm()
  const totals = useQuery({
    ...ask('attendance', 'totals', { params: { classId }, query: { termId: term?.id ?? '' } }),
    enabled: term !== null,
  })
  const names = new Map(pupils.map((pupil) => [pupil.id, listedName(pupil)]))
  if (!term) return null
  return (
    <Card title={t('totals')}>
      <Answer of={totals} empty={t('noPupils')}>
        {(rows) => (
          <Table
            label={t('totalsOf')}
            rows={rows}
            keyOf={({ student_id }) => student_id}
            columns={[
              { head: t('pupil'), cell: ({ student_id }) => names.get(student_id) ?? '…' },
              { head: t('sessions'), look: 'number', cell: ({ sessions }) => sessions },
              { head: t('absent'), look: 'number', cell: ({ absent }) => absent },
              { head: t('excused'), look: 'number', cell: ({ excused }) => excused },
              { head: t('late'), look: 'number', cell: ({ late }) => late },
              { head: t('percentage'), look: 'number', cell: ({ percentage }) => (percentage === null ? '–' : percent(percentage)) },
            ]}
          />
        )}
      </Answer>
    </Card>
  )
}
