import { Autocomplete } from '@base-ui/react/autocomplete'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, askWhole } from '../../api/queries.ts'
import { isStaff, useProfile } from '../../api/session.ts'
import { Dialog } from '../../components/dialog.tsx'
import layout from '../../components/layout.module.css'
import { useClassMembership } from '../../pages/classes/use-class-membership.ts'
import { nameInGrid } from '../../words/names.ts'
import { useChosenTerm } from '../chosen-term.ts'
import { chooseTheme } from '../theme.ts'
import { type Entry, search } from './matching.ts'
import styles from './search.module.css'

/** The largest number of entries shown in a group. */
const MOST = 7
/** Pupils are searched once nobody has typed for this time, in ms. */
const ASK_AFTER = 150

/** `about`: tells entries with the same name apart. */
type Found = Entry & { about?: string | undefined; open(): void }
type Group = { id: string; title: string; items: Found[] }
type Props = {
  pages: readonly { to: string; name: string }[]
  query: string
  onQuery(query: string): void
  onClose(): void
  onSignOut(): void
  onKeys(): void
}

/** Finds pages, the marks of a class, classes, pupils and actions by a few letters. */
export function SearchDialog(props: Props) {
  const { t } = useTranslation('app')
  const { query, onQuery, onClose } = props
  const groups = useGroups(props)
  return (
    <Dialog title={t('search.title')} onClose={onClose}>
      <Autocomplete.Root
        inline
        open
        mode="none"
        items={groups}
        value={query}
        onValueChange={onQuery}
        autoHighlight="always"
        keepHighlight
        itemToStringValue={(item: Found) => item.name}
      >
        <Autocomplete.Input className={layout['control']} aria-label={t('search.label')} placeholder={t('search.placeholder')} />
        <Autocomplete.Empty className={styles['empty']}>{t('search.nothing')}</Autocomplete.Empty>
        <Autocomplete.List className={styles['list']}>
          {(group: Group) => (
            <Autocomplete.Group key={group.id} items={group.items}>
              <Autocomplete.GroupLabel className={styles['group']}>{group.title}</Autocomplete.GroupLabel>
              <Autocomplete.Collection>
                {(item: Found) => (
                  <Autocomplete.Item key={item.id} value={item} className={styles['item']} onClick={item.open}>
                    {item.name} {item.about && <span className={styles['about']}>{item.about}</span>}
                  </Autocomplete.Item>
                )}
              </Autocomplete.Collection>
            </Autocomplete.Group>
          )}
        </Autocomplete.List>
      </Autocomplete.Root>
    </Dialog>
  )
}

function useGroups({ pages, query, onClose, onSignOut, onKeys }: Props): Group[] {
  const { t } = useTranslation('app')
  const navigate = useNavigate()
  const staff = isStaff(useProfile())
  const { year, term } = useChosenTerm()
  const classes = useQuery({ ...ask('classes', 'list', { query: {} }), enabled: staff })
  const progress = useQuery({ ...askWhole('classes', 'progress', { query: { termId: term?.id ?? '' } }), enabled: staff && term !== null })
  const asked = useSettled(query.trim())
  const pupils = useQuery({
    ...ask('students', 'list', { query: { search: asked, limit: MOST, offset: 0 } }),
    enabled: staff && asked.length > 1,
  })
  const membership = useClassMembership(staff && asked.length > 1 ? year?.id : undefined)
  const leading = (open: () => unknown) => () => {
    onClose()
    void open()
  }
  const own = progress.data?.filter(({ is_own, assessments }) => is_own || assessments > 0) ?? []
  const groups: Group[] = [
    {
      id: 'pages',
      title: t('search.pages'),
      items: pages.map(({ to, name }) => ({ id: to, name, open: leading(() => navigate({ to })) })),
    },
    {
      id: 'marks',
      title: t('search.marks'),
      items: own.map(({ class: group, subject }) => ({
        id: `${group.id} ${subject.id}`,
        name: `${group.name} · ${subject.name}`,
        words: subject.code,
        open: leading(() =>
          navigate({ to: '/marks/$classId/$subjectId', params: { classId: group.id, subjectId: subject.id }, search: {} }),
        ),
      })),
    },
    {
      id: 'classes',
      title: t('search.classes'),
      items: (classes.data ?? []).map(({ id, name }) => ({
        id,
        name,
        open: leading(() => navigate({ to: '/classes/$classId', params: { classId: id } })),
      })),
    },
    {
      id: 'actions',
      title: t('search.actions'),
      items: [
        { id: 'account', name: t('account.own'), open: leading(() => navigate({ to: '/account' })) },
        { id: 'keys', name: t('keys.title'), open: leading(onKeys) },
        { id: 'light', name: t('search.light'), words: t('account.theme'), open: leading(() => chooseTheme('light')) },
        { id: 'dark', name: t('search.dark'), words: t('account.theme'), open: leading(() => chooseTheme('dark')) },
        { id: 'signOut', name: t('account.signOut'), open: leading(onSignOut) },
      ],
    },
  ]
  const found = groups.map((group) => ({ ...group, items: search(group.items, query).slice(0, MOST) }))
  // Not filtered again: the server has searched, also in pupil numbers.
  const ofPupils = asked.length > 1 && asked === query.trim() ? (pupils.data ?? []) : []
  const people = ofPupils.map((pupil) => ({
    id: pupil.id,
    name: nameInGrid(pupil),
    about: membership?.classByStudentId.get(pupil.id)?.name,
    open: leading(() => navigate({ to: '/students/$studentId', params: { studentId: pupil.id } })),
  }))
  const all = [...found.slice(0, 3), { id: 'pupils', title: t('search.pupils'), items: people }, ...found.slice(3)]
  // With an empty query only pages and marks, since a list of everything would be too long.
  return all.filter(({ id, items }) => items.length > 0 && (query.trim() !== '' || id === 'pages' || id === 'marks'))
}

/** The query that has not changed for `ASK_AFTER`. */
function useSettled(query: string): string {
  const [settled, setSettled] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setSettled(query), ASK_AFTER)
    return () => clearTimeout(timer)
  }, [query])
  return settled
}
