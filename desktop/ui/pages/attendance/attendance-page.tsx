import type { AcademicYear } from '@markbook/shared/contract/academic-years'
import type { StudentName } from '@markbook/shared/contract/scalars'
import type { Term } from '@markbook/shared/contract/terms'
import { standardSchoolDays } from '@markbook/shared/domain/school-days'
import { useQuery } from '@tanstack/react-query'
import { Navigate, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import ChevronLeft from 'lucide-react/icons/chevron-left'
import ChevronRight from 'lucide-react/icons/chevron-right'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { askWhole } from '../../api/queries.ts'
import { readStored, writeStored } from '../../components/browser-storage.ts'
import { Button } from '../../components/button.tsx'
import { Options, SelectField, TextField } from '../../components/field.tsx'
import { Icon } from '../../components/icon.tsx'
import layout from '../../components/layout.module.css'
import { Answer, Badge, Card, Empty, Loading, Page } from '../../components/page.tsx'
import { useChosenTerm } from '../../frame/chosen-term.ts'
import { NoClass } from '../../frame/no-class.tsx'
import { NotCurrentYear } from '../../frame/other-year.tsx'
import { moment, weekday } from '../../words/format.ts'
import { type ListedClass, NotOfYear, useClasses } from '../results/class-page.tsx'
import styles from './attendance.module.css'
import { DayNotice } from './day-notice.tsx'
import { dayAfter, type MonthOfClass, type Register, registerKey, schoolDayAfter, today, within } from './model/register.ts'
import { MonthTable, TermTotals } from './month-table.tsx'
import { RegisterList } from './register-list.tsx'
import { Saving } from './unsaved-attendance.tsx'
import { useMonth, useRegister } from './use-register.ts'
import { useSchoolDays } from './use-school-days.ts'

const STORAGE_KEY = 'markbook.attendance'
const LESSONS = 12

/** `/attendance`: redirects to the class that was last opened in this browser, else to the person's own one, else to the first. */
export function ChooseAttendancePage() {
  const { t } = useTranslation('attendance')
  const chosen = useChosenTerm()
  const classes = useClasses(chosen)
  const known = readStored(STORAGE_KEY)
  const list = classes.data ?? []
  const group = list.find(({ id }) => id === known) ?? list.find(({ isClassTeacher }) => isClassTeacher) ?? list[0]
  if (group) return <Navigate to="/attendance/$classId" params={{ classId: group.id }} replace />
  const isLoading = chosen.isLoading || (chosen.year !== null && classes.isPending)
  return (
    <Page title={t('title')}>
      {isLoading ? <Loading /> : <Empty>{chosen.year ? <NoClass year={chosen.year.name} /> : t('noYear')}</Empty>}
    </Page>
  )
}

/** The register of a class on a day, with its month and its term. */
export function AttendancePage() {
  const { t } = useTranslation('attendance')
  const { classId } = useParams({ from: '/school/attendance/$classId' })
  const chosen = useChosenTerm()
  const classes = useClasses(chosen)
  const { year } = chosen
  const group = classes.data?.find(({ id }) => id === classId)
  useEffect(() => writeStored(STORAGE_KEY, classId), [classId])
  if (year && classes.data) {
    // The class may not exist in the year of the chosen term: then no register of another class is shown instead.
    if (!group)
      return (
        <Page title={t('title')}>
          <NotOfYear area="attendance" classId={classId} />
        </Page>
      )
    return <OfClass key={classId} group={group} classes={classes.data} year={year} terms={chosen.terms} />
  }
  return (
    <Page title={t('title')}>
      {chosen.isLoading || year ? <Answer of={classes}>{() => <Loading />}</Answer> : <Empty>{t('noYear')}</Empty>}
    </Page>
  )
}

type OfClassProps = { group: ListedClass; classes: readonly ListedClass[]; year: AcademicYear; terms: readonly Term[] }

function OfClass({ group, classes, year, terms }: OfClassProps) {
  const { t } = useTranslation('attendance')
  const search = useSearch({ from: '/school/attendance/$classId' })
  const navigate = useNavigate()
  const asked = search.day && /^\d{4}-\d\d-\d\d$/.test(search.day) ? search.day : null
  const day = within(asked ?? today(), year)
  const lesson = Math.min(LESSONS, Math.max(0, Math.trunc(Number(search.lesson ?? 0)) || 0))
  const go = (to: Partial<Register>) => {
    const next = { classId: group.id, day, lesson, ...to }
    void navigate({
      to: '/attendance/$classId',
      params: { classId: next.classId },
      search: { day: within(next.day, year), lesson: String(next.lesson) },
      replace: true,
    })
  }
  const register = { classId: group.id, day, lesson }
  const month = useMonth(register)
  const schoolDays = useSchoolDays() ?? standardSchoolDays
  const pupils = useQuery(askWhole('classes', 'students', { params: { id: group.id } }))
  const lessons = [
    { id: '0', name: t('wholeDay') },
    ...Array.from({ length: LESSONS }, (_, at) => ({ id: String(at + 1), name: t('lessonOf', { number: at + 1 }) })),
  ]
  return (
    <Page title={t('titleOf', { class: group.name })} wide>
      <NotCurrentYear yearId={year.id} isWritable to="/attendance" />
      <div className={styles['place']}>
        <SelectField label={t('class')} value={group.id} onChange={({ target }) => go({ classId: target.value })}>
          <Options of={classes} />
        </SelectField>
        <div className={styles['day']}>
          <Button aria-label={t('before')} onClick={() => go({ day: schoolDayAfter(day, -1, schoolDays) })}>
            <Icon of={ChevronLeft} />
          </Button>
          <TextField
            label={t('day')}
            type="date"
            value={day}
            min={year.start_date}
            max={year.end_date}
            onChange={({ target }) => target.value && go({ day: target.value })}
          />
          <Button aria-label={t('after')} onClick={() => go({ day: schoolDayAfter(day, 1, schoolDays) })}>
            <Icon of={ChevronRight} />
          </Button>
        </div>
        <SelectField label={t('lesson')} value={String(lesson)} onChange={({ target }) => go({ lesson: Number(target.value) })}>
          <Options of={lessons} />
        </SelectField>
      </div>
      <DayNotice day={day} isChosen={asked !== null} year={year} terms={terms} onChoose={go} />
      <Answer of={pupils} empty={t('noPupils')}>
        {(list) => (
          <Answer of={month}>
            {(seen) => (
              <>
                <RegisterCard key={registerKey(register)} register={register} month={seen} pupils={list} />
                <MonthTable day={day} month={seen} pupils={list} onChoose={go} />
              </>
            )}
          </Answer>
        )}
      </Answer>
      {pupils.data && <TermTotals classId={group.id} pupils={pupils.data} />}
    </Page>
  )
}

function RegisterCard({ register, month, pupils }: { register: Register; month: MonthOfClass; pupils: readonly StudentName[] }) {
  const { t } = useTranslation('attendance')
  const state = useRegister(register, month)
  // The space of the button stays after its press; otherwise the rows would move under the pointer, and the next press would mark another
  // pupil.
  const [opensTaken] = useState(state.isTaken)
  const title = t('register', { day: weekday(register.day) })
  const isToCome = register.day > dayAfter(today(), 1)
  if (isToCome)
    return (
      <Card title={title}>
        <Empty>{t('toCome')}</Empty>
      </Card>
    )
  const isAnyAway = pupils.some(({ id }) => state.codeNow(id) !== 'present')
  const keys = { present: t('key.present'), absent: t('key.absent'), late: t('key.late'), excused: t('key.excused'), note: t('key.note') }
  return (
    <Card title={title}>
      <div className={styles['state']}>
        <p>
          {state.taken ? (
            <Badge tone="good">{t('taken', { at: moment(state.taken.created_at) })}</Badge>
          ) : (
            !state.isTaken && <Badge tone="warn">{t('notTaken')}</Badge>
          )}
        </p>
        {!(opensTaken && state.isTaken) && (
          <div className={styles['everybody']}>
            {!state.isTaken && (
              <Button look="primary" onClick={state.takeAsIs}>
                {t(isAnyAway ? 'restHere' : 'everybody')}
              </Button>
            )}
          </div>
        )}
      </div>
      <RegisterList register={state} pupils={pupils} label={t('pupils')} />
      <Saving />
      <p className={`${layout['note']} ${styles['keys']}`}>{t('keys', keys)}</p>
    </Card>
  )
}
