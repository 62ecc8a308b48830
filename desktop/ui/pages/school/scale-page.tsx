import type { AcademicYear } from '@markbook/shared/contract/academic-years'
import { limits } from '@markbook/shared/limits'
import { useQuery } from '@tanstack/react-query'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, queryClient, type ReplyOf, type ResourceName, save, useSave } from '../../api/queries.ts'
import { isAdmin, useProfile } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog, DialogButton } from '../../components/dialog.tsx'
import { Actions, Form, Options, SelectField, TextField } from '../../components/field.tsx'
import { Answer, FailureNotice, Notice, Page } from '../../components/page.tsx'
import { Table } from '../../components/table.tsx'
import { useUnloadQuestion } from '../../components/use-form.ts'
import { saveWithUndo } from '../../components/with-undo.ts'
import { editable, enumerated } from '../../words/format.ts'
import { MarkCodes } from './mark-codes.tsx'
import { useMeanwhile } from './meanwhile.tsx'
import { type Band, draftOf, faultOf, textOf, toBody } from './scale.ts'
import styles from './school-page.module.css'

/** The resources that are read again after a change of the scale. */
const CONCERNED: readonly ResourceName[] = ['gradingScale', 'academicYears', 'grades', 'calculations', 'reports']

export function ScalePage() {
  const { t } = useTranslation(['school', 'app'])
  const [yearId, setYearId] = useState('')
  const hasTyped = useRef(false)
  /** The year that was chosen while something typed is unsaved. */
  const [asked, setAsked] = useState<string | null>(null)
  const years = useQuery(ask('academicYears', 'list'))
  const scale = useQuery(ask('gradingScale', 'get', { query: yearId ? { academicYearId: yearId } : {} }))
  const year = years.data?.find(({ id }) => id === yearId)
  const school = useQuery(ask('schools', 'mine'))
  return (
    <Page title={t('scaleTitle')} lead={t('scaleLead')}>
      <SelectField label={t('scaleOf')} value={yearId} onChange={({ target }) => (hasTyped.current ? setAsked : setYearId)(target.value)}>
        <Options
          of={[
            { id: '', name: t('scaleOfSchool') },
            ...(years.data ?? []).map((each) => ({
              id: each.id,
              name: each.scale_bands ? t('hasOwnScale', { name: each.name }) : each.name,
            })),
          ]}
        />
      </SelectField>
      <Answer of={scale}>{(own) => <Scale key={yearId} scale={own} year={year} hasTyped={hasTyped} />}</Answer>
      <Answer of={school}>{(own) => <MarkCodes school={own} />}</Answer>
      {asked !== null && (
        <ConfirmDialog
          title={t('app:unsaved.leaveTitle')}
          text={t('app:unsaved.text')}
          action={t('app:unsaved.leave')}
          onConfirm={async () => {
            setAsked(null)
            setYearId(asked)
          }}
          onClose={() => setAsked(null)}
        />
      )}
    </Page>
  )
}

/** Makes a year use the scale of the school again. */
const follow = ({ id }: AcademicYear) =>
  save('academicYears', 'update', { params: { id }, body: { scalePassMark: null, scaleBands: null } }, CONCERNED)

type ScaleProps = {
  scale: ReplyOf<'gradingScale', 'get'>
  /** The year that uses this scale, its own or the school's; undefined for the page of the school's scale. */
  year: AcademicYear | undefined
  /** Set while something typed is unsaved. */
  hasTyped: RefObject<boolean>
}

const storedText = (scale: ScaleProps['scale']) => textOf(draftOf(scale), editable(scale.pass_mark))

function Scale({ scale, year, hasTyped }: ScaleProps) {
  const { t } = useTranslation(['school', 'app'])
  const mayChange = isAdmin(useProfile())
  const put = useSave('gradingScale', 'put', CONCERNED)
  const [passMark, setPassMark] = useState(() => editable(scale.pass_mark))
  const [bands, setBands] = useState(() => draftOf(scale))
  const fault = faultOf(bands, passMark)
  const query = year ? { academicYearId: year.id } : {}
  const [stored, typed] = [storedText(scale), textOf(bands, passMark)]
  const meanwhile = useMeanwhile({
    stored,
    typed,
    isSaving: put.isPending,
    take: () => {
      setPassMark(editable(scale.pass_mark))
      setBands(draftOf(scale))
    },
    read: async () => storedText(await queryClient.fetchQuery({ ...ask('gradingScale', 'get', { query }), staleTime: 0 })),
  })
  const isUnsaved = mayChange && typed !== stored
  useUnloadQuestion(() => isUnsaved)
  useEffect(() => {
    hasTyped.current = isUnsaved
    return () => {
      hasTyped.current = false
    }
  }, [hasTyped, isUnsaved])
  const add = () => setBands([...bands, { key: Math.max(...bands.map(({ key }) => key)) + 1, letter: '', minimum: '', remark: '' }])
  const cell = (name: 'letter' | 'minimum' | 'remark', maxLength: number) => (band: Band, at: number) => (
    <input
      className={styles['cell']}
      aria-label={t(`${name}At`, { at: at + 1 })}
      value={band[name]}
      disabled={!mayChange}
      maxLength={maxLength}
      inputMode={name === 'minimum' ? 'decimal' : undefined}
      onChange={({ target }) => setBands(bands.map((one, index) => (index === at ? { ...one, [name]: target.value } : one)))}
    />
  )
  const removal = ({ letter }: Band, at: number) => (
    <Button
      size="small"
      disabled={bands.length === 1}
      aria-label={t('removeBand', { letter: letter || at + 1 })}
      onClick={() => setBands(bands.filter((_, index) => index !== at))}
    >
      {t('remove')}
    </Button>
  )
  const send = async () => {
    if (fault || !(await meanwhile.isToldOf())) return
    const said = (kept: readonly string[] = []) => {
      if (year) return t('yearScaleSaved', { name: year.name })
      return kept.length > 0 ? t('scaleSavedKept', { years: enumerated(kept) }) : t('scaleSaved')
    }
    const write = (body: ReturnType<typeof toBody>) => put.mutateAsync({ query, body })
    const before = toBody(draftOf(scale), editable(scale.pass_mark))
    await saveWithUndo({
      said: ({ kept_years }) => said(kept_years),
      run: async () => {
        const body = toBody(bands, passMark)
        meanwhile.noteWritten(textOf(draftOf(body), editable(body.passMark)))
        const reply = await write(body)
        // As the server has it, except what was typed since.
        setPassMark((now) => (now === passMark ? editable(body.passMark) : now))
        setBands((now) => (now === bands ? draftOf(body) : now))
        return reply
      },
      back: year && !year.scale_bands ? () => follow(year) : () => write(before),
      // The page shows a failure.
    }).catch(() => {})
  }
  return (
    <Form onSend={() => void send()}>
      <FailureNotice failure={put.error} />
      {year && <Notice>{t(year.scale_bands ? 'yearHasOwn' : 'yearHasNone', { name: year.name })}</Notice>}
      <TextField
        label={t('passMark')}
        hint={t('passHint')}
        inputMode="decimal"
        disabled={!mayChange}
        value={passMark}
        onChange={({ target }) => setPassMark(target.value)}
      />
      <Table
        label={t('scaleTitle')}
        rows={bands}
        keyOf={({ key }) => key}
        rowName={null}
        columns={[
          { head: t('letter'), cell: cell('letter', limits.text.code) },
          { head: t('minimum'), cell: cell('minimum', 10) },
          { head: t('remark'), cell: cell('remark', limits.text.title) },
          mayChange && { head: t('remove'), look: 'hidden', cell: removal },
        ]}
      />
      {fault && <Notice tone="warn">{t(fault.word, { at: fault.at })}</Notice>}
      {meanwhile.notice}
      {mayChange && (
        <Actions>
          {year?.scale_bands && (
            <DialogButton
              dialog={
                <ConfirmDialog
                  title={t('scaleAgain', { name: year.name })}
                  text={t('scaleAgainText')}
                  action={t('scaleAgainAction')}
                  onConfirm={() => follow(year)}
                />
              }
            >
              {t('scaleAgainAction')}
            </DialogButton>
          )}
          <Button onClick={add} disabled={bands.length >= limits.gradingBands}>
            {t('addBand')}
          </Button>
          <Button
            type="submit"
            look="primary"
            disabled={fault !== null}
            busy={put.isPending || meanwhile.isReading}
            busyWord={t('app:state.saving')}
          >
            {t('app:action.save')}
          </Button>
        </Actions>
      )}
    </Form>
  )
}
