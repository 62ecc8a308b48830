import { codeEffects, type MarkCode, standardMarkCodes } from '@markbook/shared/domain/mark-codes'
import { limits } from '@markbook/shared/limits'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, queryClient, type ReplyOf, useSave } from '../../api/queries.ts'
import { isAdmin, useProfile } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { Actions, Form, Options } from '../../components/field.tsx'
import { Card, FailureNotice, Notice } from '../../components/page.tsx'
import { Table } from '../../components/table.tsx'
import { useUnloadQuestion } from '../../components/use-form.ts'
import { saveWithUndo } from '../../components/with-undo.ts'
import { useMeanwhile } from './meanwhile.tsx'
import styles from './school-page.module.css'

type Draft = MarkCode & { key: number; isNew: boolean }
const draftsOf = (codes: readonly MarkCode[]): Draft[] => codes.map((code, key) => ({ ...code, key, isNew: false }))
const codesOf = ({ mark_codes }: Pick<ReplyOf<'schools', 'mine'>, 'mark_codes'>) => mark_codes ?? standardMarkCodes
/** The codes of the form as they are sent. */
const toCodes = (drafts: readonly MarkCode[]): MarkCode[] =>
  drafts.map(({ code, name, effect, printed }) => ({ code: code.trim().toLowerCase(), name: name.trim(), effect, printed }))
const textOf = (codes: readonly MarkCode[]) => JSON.stringify(toCodes(codes))
const isStandard = ({ code, isNew }: Draft) => !isNew && standardMarkCodes.some((one) => one.code === code)

/** The first fault of a list of codes, null for none; the server checks the rest. */
function faultOf(drafts: readonly Draft[]): { word: 'codeFault' | 'codeTwice' | 'codeNameFault'; at: number } | null {
  const codes = drafts.map(({ code }) => code.trim().toLowerCase())
  const bad = codes.findIndex((code) => !/^\p{L}[\p{L}\p{M}\p{N}]{0,7}$/u.test(code))
  if (bad >= 0) return { word: 'codeFault', at: bad + 1 }
  const twice = codes.findIndex((code, at) => codes.indexOf(code) !== at)
  if (twice >= 0) return { word: 'codeTwice', at: twice + 1 }
  const unnamed = drafts.findIndex(({ name }) => name.trim() === '')
  return unnamed >= 0 ? { word: 'codeNameFault', at: unnamed + 1 } : null
}

/** The codes that cells of the mark grid may have, and their effect on results. */
export function MarkCodes({ school }: { school: ReplyOf<'schools', 'mine'> }) {
  const { t } = useTranslation(['school', 'app'])
  const mayChange = isAdmin(useProfile())
  const update = useSave('schools', 'updateMine', ['calculations', 'reports'])
  const [drafts, setDrafts] = useState(() => draftsOf(codesOf(school)))
  const fault = faultOf(drafts)
  const [stored, typed] = [textOf(codesOf(school)), textOf(drafts)]
  const meanwhile = useMeanwhile({
    stored,
    typed,
    isSaving: update.isPending,
    take: () => setDrafts(draftsOf(codesOf(school))),
    read: async () => textOf(codesOf(await queryClient.fetchQuery({ ...ask('schools', 'mine'), staleTime: 0 }))),
  })
  useUnloadQuestion(() => typed !== stored)
  const change = (at: number, more: Partial<MarkCode>) =>
    setDrafts(drafts.map((draft, index) => (index === at ? { ...draft, ...more } : draft)))
  const add = () => {
    const key = Math.max(...drafts.map((draft) => draft.key)) + 1
    setDrafts([...drafts, { key, isNew: true, code: '', name: '', effect: 'left_out', printed: true }])
  }
  const save = async () => {
    if (fault || !(await meanwhile.isToldOf())) return
    const write = (markCodes: MarkCode[]) => update.mutateAsync({ body: { markCodes } })
    const [before, after] = [[...codesOf(school)], toCodes(drafts)]
    const run = async () => {
      meanwhile.noteWritten(textOf(after))
      await write(after)
      // What was typed meanwhile stays.
      setDrafts((now) => (now === drafts ? draftsOf(after) : now))
    }
    // The card shows a failure.
    await saveWithUndo({ said: t('codesSaved'), run, back: () => write(before) }).catch(() => {})
  }
  return (
    <Card title={t('codesTitle')}>
      <p className={styles['note']}>{t('codesLead')}</p>
      <Form onSend={() => void save()}>
        <FailureNotice failure={update.error} />
        <Table
          label={t('codesTitle')}
          rows={drafts}
          keyOf={({ key }) => key}
          rowName={null}
          columns={[
            {
              head: t('markCode'),
              cell: (draft, at) =>
                draft.isNew ? (
                  <input
                    className={styles['cell']}
                    aria-label={t('markCodeAt', { at: at + 1 })}
                    value={draft.code}
                    maxLength={8}
                    autoCapitalize="none"
                    onChange={({ target }) => change(at, { code: target.value })}
                  />
                ) : (
                  <strong>{draft.code}</strong>
                ),
            },
            {
              head: t('codeName'),
              cell: (draft, at) => (
                <input
                  className={styles['cell']}
                  aria-label={t('codeNameAt', { at: at + 1 })}
                  value={draft.name}
                  disabled={!mayChange}
                  maxLength={40}
                  onChange={({ target }) => change(at, { name: target.value })}
                />
              ),
            },
            {
              head: t('codeEffect'),
              cell: (draft, at) =>
                mayChange && !isStandard(draft) ? (
                  <select
                    className={styles['cell']}
                    aria-label={t('codeEffectAt', { at: at + 1 })}
                    value={draft.effect}
                    onChange={({ target }) => change(at, { effect: target.value as MarkCode['effect'] })}
                  >
                    <Options of={codeEffects.map((effect) => ({ id: effect, name: t(`effect.${effect}`) }))} />
                  </select>
                ) : (
                  t(`effect.${draft.effect}`)
                ),
            },
            {
              head: t('codePrinted'),
              cell: (draft, at) => (
                <input
                  type="checkbox"
                  aria-label={t('codePrintedAt', { at: at + 1 })}
                  checked={draft.printed}
                  disabled={!mayChange}
                  onChange={({ target }) => change(at, { printed: target.checked })}
                />
              ),
            },
            mayChange && {
              head: t('remove'),
              look: 'hidden',
              cell: (draft) =>
                isStandard(draft) ? null : (
                  <Button
                    size="small"
                    aria-label={t('removeCode', { code: draft.code })}
                    onClick={() => setDrafts(drafts.filter(({ key }) => key !== draft.key))}
                  >
                    {t('remove')}
                  </Button>
                ),
            },
          ]}
        />
        {fault && <Notice tone="warn">{t(fault.word, { at: fault.at })}</Notice>}
        {meanwhile.notice}
        {mayChange && (
          <Actions>
            <Button onClick={add} disabled={drafts.length >= limits.markCodes}>
              {t('addCode')}
            </Button>
            <Button
              type="submit"
              look="primary"
              disabled={fault !== null}
              busy={update.isPending || meanwhile.isReading}
              busyWord={t('app:state.saving')}
            >
              {t('app:action.save')}
            </Button>
          </Actions>
        )}
      </Form>
    </Card>
  )
}
