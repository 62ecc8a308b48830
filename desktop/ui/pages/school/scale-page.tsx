import { limits } from '@markbook/shared/limits'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, type ReplyOf, useSave } from '../../api/queries.ts'
import { isAdmin, useProfile } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { Actions, Form, TextField } from '../../components/field.tsx'
import { Answer, FailureNotice, Notice, Page } from '../../components/page.tsx'
import { Table } from '../../components/table.tsx'
import { tell } from '../../components/toasts.tsx'
import { editable } from '../../words/format.ts'
import { MarkCodes } from './mark-codes.tsx'
import { type Band, draftOf, faultOf, toBody } from './scale.ts'
import styles from './school-page.module.css'

export function ScalePage() {
  const { t } = useTranslation('school')
  const scale = useQuery(ask('gradingScale', 'get'))
  const school = useQuery(ask('schools', 'mine'))
  return (
    <Page title={t('scaleTitle')} lead={t('scaleLead')}>
      <Answer of={scale}>{(own) => <Scale scale={own} />}</Answer>
      <Answer of={school}>{(own) => <MarkCodes school={own} />}</Answer>
    </Page>
  )
}

function Scale({ scale }: { scale: ReplyOf<'gradingScale', 'get'> }) {
  const { t } = useTranslation(['school', 'app'])
  const mayChange = isAdmin(useProfile())
  const put = useSave('gradingScale', 'put', ['grades', 'reports'])
  const [passMark, setPassMark] = useState(() => editable(scale.pass_mark))
  const [bands, setBands] = useState(() => draftOf(scale))
  const fault = faultOf(bands, passMark)
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
  const save = () => {
    if (!fault) put.mutate({ body: toBody(bands, passMark) }, { onSuccess: () => tell(t('scaleSaved')) })
  }
  return (
    <Form onSend={save}>
      <FailureNotice failure={put.error} />
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
      {mayChange && (
        <Actions>
          <Button onClick={add} disabled={bands.length >= limits.gradingBands}>
            {t('addBand')}
          </Button>
          <Button type="submit" look="primary" disabled={fault !== null} busy={put.isPending} busyWord={t('app:state.saving')}>
            {t('app:action.save')}
          </Button>
        </Actions>
      )}
    </Form>
  )
}
