import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { ButtonLink } from '../../components/button-link.tsx'
import { Notice } from '../../components/page.tsx'
import { useSettledChanges } from './grid-context.ts'
import type { SheetScope } from './model/pending-mark-storage.ts'
import { REPORT_DELAY, WaitingNotice } from './unsaved-marks.tsx'
import { useMarkingSession } from './use-sheet.ts'

/** The unsaved marks of this person, on every page except those of marks, which show more. They are sent from here too. */
export function UnsavedNotice() {
  const { t } = useTranslation('marks')
  const session = useMarkingSession()
  useSettledChanges(session.queue.listen, REPORT_DELAY)
  const all = session.queue.all()
  const waiting = all.filter(({ state }) => state === 'waiting')
  const refused = all.filter(({ state }) => state === 'refused' || state === 'conflict')
  const open = [...refused.map(({ assessmentId }) => assessmentId), ...[...session.invalidEntries.keys()].map(assessmentOf)]
  const sheets = open.map(session.sheetOf)
  const known = new Map(sheets.flatMap((sheet) => (sheet ? [[JSON.stringify(sheet), sheet]] : [])))
  return (
    <>
      <WaitingNotice count={waiting.length} />
      {open.length > 0 && (
        <Notice tone="bad">
          <span>{t('unsaved.open', { count: open.length })}</span>
          {[...known].map(([key, sheet]) => (
            <SheetLink key={key} sheet={sheet} />
          ))}
          {known.size === 0 && (
            <ButtonLink to="/marks" size="small">
              {t('title')}
            </ButtonLink>
          )}
        </Notice>
      )}
    </>
  )
}

const assessmentOf = (key: string): string => key.split('/')[0] ?? ''

const SheetLink = ({ sheet }: { sheet: SheetScope }) => (sheet.isSet ? <SetSheetLink sheet={sheet} /> : <ClassSheetLink sheet={sheet} />)

function SetSheetLink({ sheet: { classId: setId, termId } }: { sheet: SheetScope }) {
  const { t } = useTranslation('marks')
  const set = useQuery(ask('teachingSets', 'get', { params: { id: setId } })).data
  return (
    <ButtonLink to="/marks/sets/$setId" params={{ setId }} search={{ term: termId }} size="small">
      {set ? t('sheet', { subject: set.subject.name, class: set.name }) : t('title')}
    </ButtonLink>
  )
}

function ClassSheetLink({ sheet: { classId, subjectId, termId } }: { sheet: SheetScope }) {
  const { t } = useTranslation('marks')
  const group = useQuery(ask('classes', 'get', { params: { classId } }))
  const subjects = useQuery(ask('subjects', 'list'))
  const names = { class: group.data?.name ?? '', subject: subjects.data?.find(({ id }) => id === subjectId)?.name ?? '' }
  return (
    <ButtonLink to="/marks/$classId/$subjectId" params={{ classId, subjectId }} search={{ term: termId }} size="small">
      {names.class ? t('sheet', names) : t('title')}
    </ButtonLink>
  )
}
