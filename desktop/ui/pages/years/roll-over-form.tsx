import type { AcademicYear } from '@markbook/shared/contract/academic-years'
import type { Issue } from '@markbook/shared/failures'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, type ReplyOf, refresh, useSave } from '../../api/queries.ts'
import { useProfile } from '../../api/session.ts'
import { readStored, writeStored } from '../../components/browser-storage.ts'
import { Button } from '../../components/button.tsx'
import { ButtonLink } from '../../components/button-link.tsx'
import { Actions, Checkbox, Form } from '../../components/field.tsx'
import { Card, Facts, FailureNotice, Notice } from '../../components/page.tsx'
import { tell } from '../../components/toasts.tsx'
import { chooseYear } from '../../frame/chosen-term.ts'
import { sentenceOfIssue } from '../../words/failure.ts'
import { firstOf, number } from '../../words/format.ts'
import { areFaultless, withEdits } from './next-terms.ts'
import { FormerClasses } from './roll-over-former.tsx'
import {
  bodyOf,
  type Choices,
  type ChoicesProps,
  type Former,
  LATER,
  LEAVES,
  type Named,
  placements,
  proposed,
  storedChoices,
  unplacedCount,
} from './roll-over-plan.ts'
import { Structure, structureBody, useOffer } from './roll-over-structure.tsx'
import { NewClasses } from './roll-over-targets.tsx'
import styles from './years.module.css'

type Outcome = ReplyOf<'academicYears', 'rollOver'>
type Props = {
  from: AcademicYear
  to: AcademicYear
  former: readonly Former[]
  existing: readonly Named[]
  sizes: ReadonlyMap<string, number>
}

/** The choices, stored in this browser until the roll-over is written or begun again. */
function useChoices({ from, to, former, existing }: Props) {
  const { id } = useProfile()
  const key = `markbook.roll-over.${id}.${from.id}.${to.id}`
  const [choices, setChoices] = useState<Choices>(() => storedChoices(readStored(key)) ?? proposed(former, existing))
  const change = (next: Choices | null) => {
    setChoices(next ?? proposed(former, existing))
    writeStored(key, next && JSON.stringify(next))
  }
  return [choices, change] as const
}

export function RollOverForm(props: Props) {
  const { from, to, former, existing, sizes } = props
  const { t } = useTranslation(['years', 'app'])
  const navigate = useNavigate()
  const staff = useQuery(ask('classes', 'schoolTeachers'))
  const rollOver = useSave('academicYears', 'rollOver', [
    'classes',
    'students',
    'academicYears',
    'assessmentCategories',
    'gradingScale',
    'teachingSets',
    'terms',
  ])
  const [choices, setChoices] = useChoices(props)
  const [seen, setSeen] = useState<{ keys: readonly string[]; outcome: Outcome; sent: string } | null>(null)
  const offer = useOffer({ from, to })
  const { keys, body: ofClasses } = bodyOf(former, choices, existing)
  const repeaterIds = placements(former, choices, existing).flatMap(({ pupil, repeats }) => (repeats ? [pupil.id] : []))
  const taken = structureBody(offer, choices, { from, fillsClasses: ofClasses.classes.length > 0, repeaterIds })
  const body = { ...ofClasses, ...taken }
  const sent = JSON.stringify(body)
  // A result is valid only for the choices that were sent.
  const outcome = seen?.sent === sent ? seen.outcome : null
  const change = (next: Partial<Choices>) => setChoices({ ...choices, ...next })
  const run = async (dryRun: boolean) => {
    const asked = rollOver.mutateAsync({ params: { id: to.id }, query: { dryRun: dryRun ? 'true' : 'false' }, body })
    const answer = await asked.catch((failure) => {
      // Somebody else has changed classes or terms meanwhile: the preview must be made again.
      setSeen(null)
      void refresh(['classes', 'terms', 'teachingSets', 'assessmentCategories'])
      throw failure
    })
    setSeen({ keys, outcome: answer, sent })
    if (dryRun) return
    setChoices(null)
    tell(t('rolledOver', { count: answer.classes.reduce((sum, { students }) => sum + students, 0) }))
    // Shows the classes of the new year by choosing it. A year without terms cannot be chosen: terms must be added next.
    await navigate({ to: (await chooseYear(to.id)) ? '/classes' : '/years' })
  }
  const isReady = outcome !== null && [outcome, ...outcome.classes].every(({ issues }) => issues.length === 0)
  const termsFit = areFaultless(withEdits(offer.terms, choices.terms), to)
  const unplaced = Math.max(outcome?.unplaced ?? 0, unplacedCount(placements(former, choices, existing), choices))
  const isNothing = body.classes.length === 0 && !body.leavingStudentIds && Object.keys(taken).length === 0
  const outcomes = new Map(outcome?.classes.map((one, at) => [keys[at] ?? '', one]))
  const refused = rollOver.error
  const isWriting = rollOver.variables?.query?.dryRun === 'false'
  const look = useRef<HTMLButtonElement>(null)
  // After a refusal the next step is another preview, so the focus goes to its button.
  const write = () => void run(false).catch(() => look.current?.focus())
  const end = useRef<HTMLDivElement>(null)
  // The preview is above the button, and moves it out of view.
  useEffect(() => {
    if (outcome || refused) end.current?.scrollIntoView({ block: 'nearest' })
  }, [outcome, refused])
  return (
    <Form onSend={() => void run(true).catch(() => null)}>
      <NewClasses {...{ former, existing, choices, sizes, outcomes }} staff={staff.data ?? []} onChange={change} />
      <FormerClasses {...{ former, existing, choices }} onChange={change} />
      <Structure {...{ from, to, offer, choices }} repeaters={repeaterIds.length} onChange={change} />
      <Standing {...{ former, existing, choices }} onChange={change} />
      {outcome && <OutcomeNotice of={outcome} unplaced={unplaced} isReady={isReady} />}
      {/* The issues are listed below, so that only the sentence is shown here. */}
      <FailureNotice failure={refused && { code: refused.code, message: refused.message }} />
      {refused?.issues && <Issues of={refused.issues} />}
      <div ref={end}>
        <Actions needs={!termsFit ? t('needsDays') : isNothing ? t('needsClass') : undefined}>
          <ButtonLink to="/years">{t('app:action.cancel')}</ButtonLink>
          <Button
            onClick={() => {
              setChoices(null)
              rollOver.reset()
            }}
          >
            {t('beginAnew')}
          </Button>
          {/* A separate button: a second Enter makes the preview again, and writes nothing. */}
          <Button
            ref={look}
            type="submit"
            look={isReady ? 'plain' : 'primary'}
            disabled={isNothing || !termsFit}
            busy={rollOver.isPending && !isWriting}
          >
            {t('see')}
          </Button>
          <Button look={isReady ? 'primary' : 'plain'} disabled={!isReady} busy={rollOver.isPending && isWriting} onClick={write}>
            {t('rollOverNow')}
          </Button>
        </Actions>
      </div>
    </Form>
  )
}

/** How many pupils have a class, leave, or have none, with the names of the last. */
function Standing({ former, existing, choices, onChange }: ChoicesProps) {
  const { t } = useTranslation(['years', 'app'])
  const all = placements(former, choices, existing)
  const leaving = all.filter(({ to }) => to === LEAVES)
  const later = all.filter(({ to }) => to === LATER)
  const named = (placed: typeof all) => {
    const names = placed.map(({ pupil }) => pupil.name)
    const count = number(placed.length)
    return names.length === 0 ? count : `${t('app:label', { label: count })} ${firstOf(names, 8, '; ')}`
  }
  return (
    <Card title={t('standing')}>
      <Facts
        of={[
          [t('placedPupils'), number(all.length - leaving.length - later.length)],
          [t('leavingPupils'), named(leaving)],
          [t('unplacedPupils'), named(later)],
        ]}
      />
      <Checkbox
        label={t('makesInactive')}
        checked={choices.makesInactive}
        onChange={({ target }) => onChange({ makesInactive: target.checked })}
      />
    </Card>
  )
}

const CODE = 'academic_years.roll_over_issues'

/** The issues that prevent the roll-over, one line each. */
const Issues = ({ of }: { of: readonly Issue[] }) => (
  <Notice tone="bad">
    <ul className={styles['issues']}>
      {of.map((issue) => (
        <li key={`${issue.path} ${issue.message}`}>{sentenceOfIssue(CODE, issue)}</li>
      ))}
    </ul>
  </Notice>
)

/** `unplaced`: also the pupils without a class before, whom the server does not count. */
function OutcomeNotice({ of, unplaced, isReady }: { of: Outcome; unplaced: number; isReady: boolean }) {
  const { t } = useTranslation('years')
  if (!isReady) return <Issues of={[of, ...of.classes].flatMap((one) => one.issues)} />
  return (
    <Notice tone={unplaced > 0 || of.left_with_drafts > 0 ? 'warn' : 'good'}>
      <span>
        {unplaced > 0 && t('wouldWait', { count: unplaced })} {t('wouldBe', { classes: of.classes.length })}{' '}
        {of.left > 0 && t('wouldLeave', { count: of.left })}{' '}
        {of.left_with_drafts > 0 && t('wouldHaveDrafts', { count: of.left_with_drafts })}{' '}
        {of.categories > 0 && t('wouldTake', { count: of.categories })} {of.scale && t('wouldTakeScale')}{' '}
        {of.sets > 0 && t('wouldTakeSets', { count: of.sets })}{' '}
        {of.set_places > 0 && t('wouldPlaceInSets', { places: number(of.set_places) })}{' '}
        {of.terms > 0 && t('wouldAddTerms', { count: of.terms })}
      </span>
    </Notice>
  )
}
