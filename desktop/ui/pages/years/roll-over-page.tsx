import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, type ReplyOf, useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { ButtonLink } from '../../components/button-link.tsx'
import { Actions, Form, Options, SelectField } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Answer, Badge, Empty, FailureNotice, Page } from '../../components/page.tsx'
import { Table } from '../../components/table.tsx'
import { tell } from '../../components/toasts.tsx'
import { nextName } from './next-name.ts'

type Group = ReplyOf<'classes', 'list'>[number]
type Outcome = ReplyOf<'academicYears', 'rollOver'>

/** Creates the classes of a year from an earlier year's: chosen and named here, checked in a dry run, then written together. */
export function RollOverPage() {
  const { t } = useTranslation('years')
  const { yearId } = useParams({ from: '/school/years/$yearId/roll-over' })
  const years = useQuery(ask('academicYears', 'list'))
  const year = years.data?.find(({ id }) => id === yearId)
  const others = (years.data ?? []).filter(({ id, start_date }) => id !== yearId && start_date <= (year?.start_date ?? ''))
  const [chosenId, setChosenId] = useState('')
  const from = others.find(({ id }) => id === chosenId) ?? others[0]
  return (
    <Page title={t('rollOverTitle', { name: year?.name ?? '…' })} lead={t('rollOverLead')}>
      <Answer of={years}>
        {() =>
          from ? (
            <>
              <SelectField label={t('from')} value={from.id} onChange={({ target }) => setChosenId(target.value)}>
                <Options of={others} />
              </SelectField>
              <Classes key={from.id} fromYearId={from.id} yearId={yearId} />
            </>
          ) : (
            <Empty>{t('noOther')}</Empty>
          )
        }
      </Answer>
    </Page>
  )
}

function Classes({ fromYearId, yearId }: { fromYearId: string; yearId: string }) {
  const { t } = useTranslation('years')
  const classes = useQuery(ask('classes', 'list', { query: { academicYearId: fromYearId } }))
  return (
    <Answer of={classes} empty={t('noOther')}>
      {(groups) => <Choice groups={groups} yearId={yearId} />}
    </Answer>
  )
}

function Choice({ groups, yearId }: { groups: readonly Group[]; yearId: string }) {
  const { t } = useTranslation(['years', 'app'])
  const navigate = useNavigate()
  const rollOver = useSave('academicYears', 'rollOver', ['classes', 'students'])
  const [names, setNames] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(groups.map(({ id, name }) => [id, nextName(name)])),
  )
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const going = groups.filter(({ id }) => !left.has(id))
  const change = (act: () => void) => {
    act()
    setOutcome(null)
  }
  const run = async (dryRun: boolean) => {
    const body = { classes: going.map(({ id }) => ({ fromClassId: id, name: (names[id] ?? '').trim() })) }
    const answer = await rollOver.mutateAsync({ params: { id: yearId }, query: { dryRun: dryRun ? 'true' : 'false' }, body })
    setOutcome(answer)
    if (dryRun) return
    tell(t('opened', { count: answer.classes.length }))
    await navigate({ to: '/classes' })
  }
  const isReady = outcome?.dry_run === true && outcome.classes.every(({ issues }) => issues.length === 0)
  return (
    <Form onSend={() => void run(!isReady).catch(() => null)}>
      <FailureNotice failure={rollOver.error} />
      <Table
        label={t('rollOver')}
        rows={groups}
        keyOf={({ id }) => id}
        rowName={1}
        columns={[
          {
            head: t('goesUp'),
            cell: ({ id, name }) => (
              <input
                type="checkbox"
                aria-label={t('goesUpOf', { name })}
                checked={!left.has(id)}
                onChange={({ target }) =>
                  change(() => setLeft(new Set(target.checked ? [...left].filter((one) => one !== id) : [...left, id])))
                }
              />
            ),
          },
          { head: t('oldName'), cell: ({ name }) => name },
          {
            head: t('newName'),
            cell: ({ id, name }) => (
              <input
                className={layout['control']}
                style={{ width: 140 }}
                aria-label={t('newNameOf', { name })}
                value={names[id] ?? ''}
                maxLength={200}
                disabled={left.has(id)}
                onChange={({ target }) => change(() => setNames({ ...names, [id]: target.value }))}
              />
            ),
          },
          { head: t('see'), cell: ({ id }) => <RollOverOutcome of={outcome?.classes.find(({ from_class_id }) => from_class_id === id)} /> },
        ]}
      />
      <Actions>
        <ButtonLink to="/years">{t('app:action.cancel')}</ButtonLink>
        <Button type="submit" look="primary" disabled={going.length === 0} busy={rollOver.isPending}>
          {isReady ? t('open', { count: going.length }) : t('see')}
        </Button>
      </Actions>
    </Form>
  )
}

function RollOverOutcome({ of }: { of: Outcome['classes'][number] | undefined }) {
  const { t } = useTranslation('years')
  if (!of) return null
  const { issues } = of
  if (issues.length > 0) return <Badge tone="bad">{issues.map(({ message }) => message).join('; ')}</Badge>
  const brought = (['students', 'teachers', 'subjects'] as const).map((what) => t(`brings.${what}`, { count: of[what] }))
  return <Badge tone="good">{brought.join(', ')}</Badge>
}
