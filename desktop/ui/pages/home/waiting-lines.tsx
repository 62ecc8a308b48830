import { isSentBack } from '@markbook/shared/domain/report-moves'
import { useQueries, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, askWhole } from '../../api/queries.ts'
import { isAdmin, useProfile } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { ButtonLink } from '../../components/button-link.tsx'
import layout from '../../components/layout.module.css'
import { useChosenTerm } from '../../frame/chosen-term.ts'
import { useOpenWork } from '../../frame/use-sync-summary.ts'
import { day, firstOf, localDay } from '../../words/format.ts'
import { nameOf } from '../../words/names.ts'
import { termLabel } from '../../words/term-label.ts'
import { missingOf } from './progress.ts'
import { usePutOff } from './put-off.ts'
import { useClassProgress } from './use-class-progress.ts'
import { endsSoon, expiring } from './waiting.ts'

/** `key`: the identity of a line that can be hidden; another term or invitation has another key. */
type Line = { key: string; text: string; detail: string; link: ReactNode }

/** The lines about dates and expiry, from the data of this page and from the invitations; without those hidden in this browser. */
export function useWaitingLines() {
  const { isPutOff, putOff } = usePutOff()
  const lines = [...useBooksSentBack(), ...useBooksToApprove(), ...useDueTerm(), ...useExpiringInvitations(), ...useRefusedWrites()].filter(
    ({ key }) => !isPutOff(key),
  )
  return { lines, hide: putOff }
}

export function WaitingLines({ lines, hide }: ReturnType<typeof useWaitingLines>) {
  const { t } = useTranslation('home')
  return lines.map(({ key, text, detail, link }) => (
    <li key={key} className={layout['split']}>
      <span>
        <strong>{text}</strong> {detail}
      </span>
      <span className={layout['row']}>
        {link}
        <Button size="small" look="quiet" aria-label={t('wait.putOffOf', { what: text })} onClick={() => hide(key)}>
          {t('wait.putOff')}
        </Button>
      </span>
    </li>
  ))
}

function useDueTerm(): Line[] {
  const { t } = useTranslation(['home', 'app'])
  const all = isAdmin(useProfile())
  const { term } = useChosenTerm()
  const progress = useClassProgress()
  const rows = (progress.data ?? []).filter((row) => (all || row.is_own || row.is_class_teacher) && missingOf(row) > 0)
  if (!term || rows.length === 0 || !endsSoon(term, localDay(new Date()))) return []
  const count = rows.reduce((sum, row) => sum + missingOf(row), 0)
  return [
    {
      key: `term ${term.id}`,
      text: t('wait.term', { term: termLabel(term.name), day: day(term.end_date), count }),
      detail: firstOf(
        rows.map((row) => `${row.class.name} · ${row.subject.name}`),
        3,
      ),
      link: (
        <ButtonLink to="/marks" look="primary" size="small">
          {t('wait.toMarks')}
        </ButtonLink>
      ),
    },
  ]
}

/** For class teachers: the report books of the term that an administrator sent back, until their content changes. */
function useBooksSentBack(): Line[] {
  const { t } = useTranslation('home')
  const { term } = useChosenTerm()
  const asking = { approves_reports: useQuery(ask('schools', 'mine')).data?.approves_reports ?? null }
  const progress = useClassProgress(asking.approves_reports === true)
  const own = new Set(progress.data?.flatMap((row) => (row.is_class_teacher ? [row.class.id] : [])))
  const lists = useQueries({
    queries: [...own].map((studentGroupId) => ({
      ...ask('reports', 'list', { query: { studentGroupId, termId: term?.id ?? '' } }),
      staleTime: 0,
    })),
  })
  const books = lists.flatMap(({ data }) => data ?? []).filter((book) => isSentBack(asking, book))
  const [first, ...others] = books
  if (!term || !first) return []
  const latest = books
    .map(({ sent_back_at }) => sent_back_at ?? '')
    .sort()
    .at(-1)
  const look = { look: 'primary', size: 'small' } as const
  return [
    {
      key: `sent back ${term.id} ${books.length} ${latest}`,
      text: t('wait.sentBack', { count: books.length }),
      detail: firstOf(
        books.map(({ student }) => nameOf(student)),
        3,
      ),
      link:
        others.length === 0 ? (
          <ButtonLink to="/reports/book/$reportId" params={{ reportId: first.id }} {...look}>
            {t('wait.toBook')}
          </ButtonLink>
        ) : (
          <ButtonLink
            to="/reports/$classId"
            params={{ classId: first.student_group_id }}
            search={first.report_type === 'year_end' ? { type: 'year_end' } : {}}
            {...look}
          >
            {t('wait.toBooks')}
          </ButtonLink>
        ),
    },
  ]
}

/** For administrators of a school where report books are approved. */
function useBooksToApprove(): Line[] {
  const { t } = useTranslation('home')
  const { term } = useChosenTerm()
  const asks = useQuery(ask('schools', 'mine')).data?.approves_reports === true
  const classes = useQuery({
    ...askWhole('overview', 'read', { query: { termId: term?.id ?? '', reportType: 'term' } }),
    staleTime: 0,
    enabled: isAdmin(useProfile()) && asks && term !== null,
  })
  const waiting = (classes.data ?? []).filter(({ books }) => books.to_approve > 0)
  const count = waiting.reduce((sum, { books }) => sum + books.to_approve, 0)
  if (!term || count === 0) return []
  return [
    {
      key: `approve ${term.id} ${count}`,
      text: t('wait.approve', { count }),
      detail: firstOf(
        waiting.map((row) => row.class.name),
        3,
      ),
      link: (
        <ButtonLink to="/overview" size="small">
          {t('wait.toOverview')}
        </ButtonLink>
      ),
    },
  ]
}

function useExpiringInvitations(): Line[] {
  const { t } = useTranslation('home')
  const open = useQuery({ ...askWhole('invitations', 'list'), enabled: isAdmin(useProfile()) })
  const soon = expiring(open.data ?? [], Date.now())
  if (soon.length === 0) return []
  return [
    {
      key: `invitations ${soon.map(({ id }) => id).join(' ')}`,
      text: t('wait.invitations', { count: soon.length }),
      detail: firstOf(
        soon.map(({ email }) => email),
        3,
      ),
      link: (
        <ButtonLink to="/people" size="small">
          {t('wait.toPeople')}
        </ButtonLink>
      ),
    },
  ]
}

/** For teachers; the administrators' line about replication has them already. */
function useRefusedWrites(): Line[] {
  const { t } = useTranslation('home')
  const all = isAdmin(useProfile())
  const { stuck } = useOpenWork(useQuery(ask('replication', 'status')).data)
  if (all || stuck === 0) return []
  return [
    {
      key: `refused ${stuck}`,
      text: t('wait.refused', { count: stuck }),
      detail: '',
      link: (
        <ButtonLink to="/sync" look="primary" size="small">
          {t('wait.toSync')}
        </ButtonLink>
      ),
    },
  ]
}
