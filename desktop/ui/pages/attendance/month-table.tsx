import type { StudentName } from '@markbook/shared/contract/scalars'
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

type MonthProps = { day: string; month: MonthOfClass; pupils: readonly StudentName[]; onChoose: (place: Partial<Register>) => void }

/** A row for each pupil and a column for each register of the month; the head of a column opens its register. */
export function MonthTable({ day, month, pupils, onChoose }: MonthProps) {
  const { t } = useTranslation('attendance')
  const placeOf = (row: { day: string; lesson: number }) => `${row.day} ${row.lesson}`
  const registers = [...month.registers].sort((a, b) => a.day.localeCompare(b.day) || a.lesson - b.lesson)
  const marks = new Map(month.marks.map((mark) => [`${mark.student_id} ${placeOf(mark)}`, mark]))
  const noted = registers.flatMap((register) =>
    pupils.flatMap((pupil) => {
      const mark = marks.get(`${pupil.id} ${placeOf(register)}`)
      return mark?.note ? [{ ...mark, note: mark.note, name: listedName(pupil) }] : []
    }),
  )
  const lessonOf = (lesson: number) => (lesson === 0 ? t('wholeDay') : t('lessonOf', { number: lesson }))
  const columns: Column<StudentName>[] = [
    { head: t('pupil'), cell: listedName },
    ...registers.map((register): Column<StudentName> => {
      const place = lessonOf(register.lesson)
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
          const { code = 'present', note = null } = marks.get(`${id} ${placeOf(register)}`) ?? {}
          const said = note ? t('withNote', { code: t(`code.${code}`), note }) : t(`code.${code}`)
          return (
            <span data-code={code} title={said}>
              <span aria-hidden="true">
                {t(`sign.${code}`)}
                {note && t('sign.note')}
              </span>
              <span className="hidden">{said}</span>
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
    <Card title={name} className={styles['month']}>
      {registers.length === 0 ? (
        <Empty>{t('monthNone')}</Empty>
      ) : (
        <>
          <Table wide label={name} columns={columns} rows={pupils} keyOf={({ id }) => id} />
          <ul className={layout['legend']}>
            {attendanceCodes.map((code) => (
              <li key={code}>{t('legend', { sign: t(`sign.${code}`), word: t(`code.${code}`) })}</li>
            ))}
            {noted.length > 0 && <li>{t('legend', { sign: t('sign.note'), word: t('note') })}</li>}
          </ul>
          {noted.length > 0 && (
            <ul className={styles['notes']} aria-label={t('notes')}>
              {noted.map(({ id, day: on, lesson, code, note, name: whose }) => (
                <li key={id}>
                  {t('noteIn', { day: dayText(on), lesson: lessonOf(lesson), name: whose, code: t(`code.${code}`) })} <q>{note}</q>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </Card>
  )
}

/** The totals of each pupil in the chosen term. */
export function TermTotals({ classId, pupils }: { classId: string; pupils: readonly StudentName[] }) {
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
            wide
            label={t('totalsOf')}
            rows={rows}
            keyOf={({ student_id }) => student_id}
            columns={[
              { head: t('pupil'), cell: ({ student_id }) => names.get(student_id) ?? '…' },
              { head: t('percentage'), look: 'number', cell: ({ percentage }) => (percentage === null ? '–' : percent(percentage)) },
              { head: t('absent'), look: 'number', cell: ({ absent }) => absent },
              { head: t('excused'), look: 'number', cell: ({ excused }) => excused },
              { head: t('late'), look: 'number', cell: ({ late }) => late },
              { head: t('sessions'), look: 'number', cell: ({ sessions }) => sessions },
            ]}
          />
        )}
      </Answer>
    </Card>
  )
}
