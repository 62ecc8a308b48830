import type { Profile } from '@markbook/shared/contract/auth'
import { Failure } from '@markbook/shared/failures'
import { useQuery } from '@tanstack/react-query'
import { type AnyRoute, Link, Navigate, Outlet, useNavigate, useRouter, useRouterState } from '@tanstack/react-router'
import BookOpen from 'lucide-react/icons/book-open'
import CalendarDays from 'lucide-react/icons/calendar-days'
import ChartColumn from 'lucide-react/icons/chart-column'
import ClipboardCheck from 'lucide-react/icons/clipboard-check'
import ClipboardList from 'lucide-react/icons/clipboard-list'
import Contact from 'lucide-react/icons/contact'
import GraduationCap from 'lucide-react/icons/graduation-cap'
import Grid from 'lucide-react/icons/grid-3x3'
import House from 'lucide-react/icons/house'
import Library from 'lucide-react/icons/library'
import LogOut from 'lucide-react/icons/log-out'
import MenuIcon from 'lucide-react/icons/menu'
import RefreshCw from 'lucide-react/icons/refresh-cw'
import Ruler from 'lucide-react/icons/ruler'
import School from 'lucide-react/icons/school'
import ShieldCheck from 'lucide-react/icons/shield-check'
import Trash from 'lucide-react/icons/trash-2'
import UserCheck from 'lucide-react/icons/user-check'
import User from 'lucide-react/icons/user-round'
import Users from 'lucide-react/icons/users'
import { memo, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask } from '../api/queries.ts'
import { isAdmin, isStaff, useProfile } from '../api/session.ts'
import { signedIn, useSignedOut } from '../api/signed-out.ts'
import { useBack } from '../components/back.ts'
import { Button } from '../components/button.tsx'
import { CloseButton, Dialog } from '../components/dialog.tsx'
import { Actions, Options } from '../components/field.tsx'
import { heightIn } from '../components/height-in.ts'
import { Icon, type IconShape } from '../components/icon.tsx'
import { idle } from '../components/idle.ts'
import layout from '../components/layout.module.css'
import { lazyPart } from '../components/lazy-part.tsx'
import { Toasts, tell, tellFailure } from '../components/toasts.tsx'
import { FreshProof } from '../pages/sign-in/fresh-proof.tsx'
import { nameOf } from '../words/names.ts'
import { termLabel } from '../words/term-label.ts'
import { chooseLanguage, languageOptions } from '../words/words.ts'
import { useResetOnSchoolChange, useSwitchSchool } from './active-school.ts'
import { AwayNotice, NewAppNotice } from './away-notice.tsx'
import { chooseTerm, chooseYear, useChosenTerm } from './chosen-term.ts'
import styles from './frame.module.css'
import { isFocusFree } from './free-focus.ts'
import { LeaveQuestion } from './leave-question.tsx'
import { Menu, MenuChoice, MenuItem, MenuRule } from './menu.tsx'
import { Search } from './search/search.tsx'
import { canKeepApp, keepApp } from './service-worker.ts'
import { signOut } from './sign-out.ts'
import { useOthersWork, useSyncStatus } from './sync-status.ts'
import { chooseTheme, chosenTheme, themes } from './theme.ts'
import { isAllStored, unsavedNow, useElsewhereCount, useIsAllStored, useUnsavedCount } from './unsaved-count.ts'
import { useSyncSummary } from './use-sync-summary.ts'

/** What sends marks, attendance and texts, and says what is unsaved. */
const notices = {
  marks: () => import('../pages/marks/unsaved-notice.tsx'),
  attendance: () => import('../pages/attendance/unsaved-attendance.tsx'),
  reports: () => import('../pages/reports/unsaved-reports.tsx'),
  schools: () => import('./other-schools.tsx'),
}
// Loaded once the first page is painted.
const UnsavedNotice = lazyPart(async () => (await idle().then(notices.marks)).UnsavedNotice)
const UnsavedAttendance = lazyPart(async () => (await idle().then(notices.attendance)).UnsavedAttendance)
const UnsavedReports = lazyPart(async () => (await idle().then(notices.reports)).UnsavedReports)
const OtherSchools = lazyPart(async () => (await idle().then(notices.schools)).OtherSchools)
const SignInAgain = lazyPart(async () => (await import('../pages/sign-in/sign-in-again.tsx')).SignInAgain)

const tellHeight = heightIn('--top')

/** The frame of every page of the school: navigation, term, state of replication, account. */
export function Frame() {
  const { t } = useTranslation('app')
  const profile = useProfile()
  const isOut = useSignedOut()
  useResetOnSchoolChange()
  const [isOpen, setOpen] = useState(false)
  useBack(() => setOpen(false), isOpen)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const router = useRouter()
  // Where no service worker can keep the app, its pages are loaded while the server answers.
  useEffect(() => void idle().then(() => (canKeepApp() ? keepApp() : loadPages(Object.values(router.routesById)))), [router])
  // Also when the link leads to the page that is shown.
  useEffect(() => router.subscribe('onBeforeNavigate', () => setOpen(false)), [router])
  // For a suspended account the server refuses every page; the page Today says what that means.
  const { error } = useQuery(ask('academicYears', 'list'))
  const isSuspended = error instanceof Failure && error.code === 'inactive'
  const main = useFocusOnArrival()
  const [leaving, setLeaving] = useState(0)
  const askSignOut = () => (unsavedNow() > 0 ? setLeaving(unsavedNow()) : void signOut())
  const pages = useMemo(
    () => pagesOf(profile).flatMap(({ paths }) => paths.map((to) => ({ to, name: t(`navigation.${wordOf(to)}`) }))),
    [profile, t],
  )
  return (
    <div className={styles['frame']}>
      <a href="#page" className={styles['skip']}>
        {t('skip')}
      </a>
      {isOpen && <MenuGround onClose={() => setOpen(false)} />}
      <Navigation isOpen={isOpen} />
      <Toasts path={path} />
      <header ref={tellHeight} className={styles['top']}>
        <Button
          className={styles['menuButton'] ?? ''}
          size="small"
          aria-expanded={isOpen}
          aria-label={t(isOpen ? 'navigation.close' : 'navigation.open')}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon of={MenuIcon} />
        </Button>
        <span className={styles['school']}>{profile.school?.name}</span>
        <Search pages={pages} onSignOut={askSignOut} />
        <TermChoice />
        {isStaff(profile) && <SyncLine isOver={SHEET.test(path) || path.startsWith('/attendance/')} />}
        <AccountMenu onSignOut={askSignOut} />
      </header>
      <main ref={main} id="page" tabIndex={-1} className={styles['main']}>
        {!SHEET.test(path) && (
          <div className={styles['notices']}>
            <AwayNotice />
            <NewAppNotice />
            {isStaff(profile) && (
              <>
                <UnsavedNotice />
                {!path.startsWith('/attendance/') && <UnsavedAttendance />}
                <UnsavedReports />
                <OtherSchools />
              </>
            )}
          </div>
        )}
        {isSuspended && path !== '/' && path !== '/account' ? <Navigate to="/" replace /> : <Outlet />}
      </main>
      <FreshProof />
      <LeaveQuestion />
      {leaving > 0 && <SignOutDialog unsaved={leaving} onClose={() => setLeaving(0)} />}
      {isOut && <SignInAgain onClose={signedIn} />}
    </div>
  )
}

/** Loads the pages and the notices above them one after another, so that requests of the shown page are not kept waiting. */
async function loadPages(routes: readonly AnyRoute[]): Promise<void> {
  for (const load of Object.values(notices)) await load().catch(() => {})
  for (const { options } of routes) await options.component?.preload?.()
}

/** The path of a page of marks, which shows such notices below its grid, so that the grid does not move while somebody types. */
const SHEET = /^\/marks\/[^/]+\/[^/]+$/

/** Moves the focus to the new page if the pressed link was removed with the former page, or leads to another one. */
function useFocusOnArrival() {
  const main = useRef<HTMLElement>(null)
  const arrived = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname })
  useEffect(() => {
    if (arrived && isFocusFree()) main.current?.focus({ preventScroll: true })
  }, [arrived])
  return main
}

/**
 * The state of replication in one line on every page, with a link to its page. `isOver`: on a telephone the line is over the top of the
 * page, which must not move.
 */
function SyncLine({ isOver }: { isOver: boolean }) {
  const { t } = useTranslation('sync')
  const { status, isReached } = useSyncStatus()
  useOthersWork(isReached)
  const summary = useSyncSummary(status)
  const unsaved = useUnsavedCount()
  const isStored = useIsAllStored()
  const elsewhere = useElsewhereCount()
  if (!summary && isReached && unsaved + elsewhere === 0) return null
  const left = unsaved > 0 ? t(isStored ? 'line.unsaved' : 'line.unsavedHere', { count: unsaved }) : t('line.otherWindow')
  const away = { text: unsaved > 0 ? left : t('line.unreached'), tone: 'bad' }
  const known = isReached && summary ? summary : away
  const { text, tone } = unsaved + elsewhere > 0 && known.tone !== 'bad' ? { text: left, tone: 'warn' } : known
  return (
    <Link to="/sync" className={styles['sync']} data-tone={tone} data-over={isOver} title={text}>
      <span role="status">{text}</span>
    </Link>
  )
}

/** The choice of the year and the term, which all pages use. */
function TermChoice() {
  const { t } = useTranslation('app')
  const { years, terms, year, term, isLoading } = useChosenTerm()
  const choose = async (yearId: string) => {
    const name = years.find(({ id }) => id === yearId)?.name
    if (!(await chooseYear(yearId))) tell(t('term.yearWithout', { name }))
  }
  if (isLoading || !year) return null
  return (
    <div className={styles['term']}>
      <select
        className={layout['control']}
        aria-label={t('term.year')}
        value={year.id}
        onChange={({ target }) => void choose(target.value).catch(tellFailure)}
      >
        <Options of={years} />
      </select>
      <select
        className={layout['control']}
        aria-label={t('term.label')}
        value={term?.id ?? ''}
        onChange={({ target }) => chooseTerm(target.value)}
      >
        {terms.length === 0 && <option value="">{t('term.none')}</option>}
        <Options of={terms.map(({ id, name }) => ({ id, name: termLabel(name) }))} />
      </select>
    </div>
  )
}

const teaching = ['/', '/marks', '/attendance', '/assessments', '/results', '/reports', '/classes', '/students'] as const
const running = ['/overview', '/years', '/subjects', '/scale', '/people', '/school', '/bin', '/audit'] as const
const always = ['/sync'] as const
type Path = (typeof teaching | typeof running | typeof always)[number]
type WordOf<To> = To extends '/' ? 'home' : To extends `/${infer Word}` ? Word : never

const icons: Record<Path, IconShape> = {
  '/': House,
  '/marks': Grid,
  '/attendance': UserCheck,
  '/assessments': ClipboardList,
  '/results': ChartColumn,
  '/reports': BookOpen,
  '/classes': Users,
  '/students': GraduationCap,
  '/overview': ClipboardCheck,
  '/years': CalendarDays,
  '/subjects': Library,
  '/scale': Ruler,
  '/people': Contact,
  '/school': School,
  '/bin': Trash,
  '/audit': ShieldCheck,
  '/sync': RefreshCw,
}

/** The word for a page has the name of its path. */
const wordOf = (to: Path) => (to === '/' ? 'home' : to.slice(1)) as WordOf<Path>

/** The pages that this person may open, in groups. */
function pagesOf(profile: Profile): { word: 'teaching' | 'running' | 'sync'; paths: readonly Path[] }[] {
  if (isAdmin(profile))
    return [
      { word: 'teaching', paths: teaching },
      { word: 'running', paths: [...running, ...always] },
    ]
  if (!isStaff(profile)) return [{ word: 'teaching', paths: teaching.slice(0, 1) }]
  return [
    { word: 'teaching', paths: teaching },
    { word: 'sync', paths: always },
  ]
}

/** Covers the page beside the open menu of a telephone, so that a press there only closes the menu. */
function MenuGround({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('app')
  const close = useEffectEvent(onClose)
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && close()
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return <button type="button" className={styles['menuGround']} tabIndex={-1} aria-label={t('navigation.close')} onClick={onClose} />
}

/** The links to the pages. */
const Navigation = memo(function Navigation({ isOpen }: { isOpen: boolean }) {
  const { t } = useTranslation('app')
  const profile = useProfile()
  return (
    <nav className={styles['side']} data-open={isOpen} aria-label={t('navigation.label')}>
      <Link to="/" className={`${layout['brand']} ${styles['name']}`} data-school={profile.school?.name}>
        <img src="/icon.svg" alt="" width={28} height={28} />
        {t('name')}
      </Link>
      {pagesOf(profile).map(({ word, paths }) => (
        <Group key={word} title={t(`navigation.${word}`)} paths={paths} />
      ))}
    </nav>
  )
})

function Group({ title, paths }: { title: string; paths: readonly Path[] }) {
  const { t } = useTranslation('app')
  return (
    <div className={styles['group']}>
      {/* A heading above a single link would only repeat it. */}
      <h2 className={paths.length === 1 ? 'hidden' : undefined}>{title}</h2>
      <ul>
        {paths.map((to) => (
          <li key={to}>
            <Link to={to} activeOptions={{ exact: to === '/' }} activeProps={{ 'aria-current': 'page' }}>
              <Icon of={icons[to]} />
              {t(`navigation.${wordOf(to)}`)}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** The menu of the account: appearance, language, signing out. */
function AccountMenu({ onSignOut }: { onSignOut: () => void }) {
  const { t, i18n } = useTranslation('app')
  const profile = useProfile()
  const navigate = useNavigate()
  const [theme, setTheme] = useState(chosenTheme())
  const [isOpen, setOpen] = useState(false)
  const name = nameOf(profile)
  return (
    <Menu button={{ 'aria-label': t('account.open', { name }), children: <AccountName name={name} /> }} onOpenChange={setOpen}>
      <MenuItem icon={User} onChoose={() => void navigate({ to: '/account' })}>
        {t('account.own')}
      </MenuItem>
      {isOpen && <OwnSchools />}
      <MenuChoice
        label={t('account.theme')}
        value={theme}
        choices={themes.map((id) => ({ id, name: t(`account.${id}`) }))}
        onChoose={(value) => {
          chooseTheme(value)
          setTheme(value)
        }}
      />
      <MenuChoice
        closes
        label={t('account.language')}
        value={i18n.language}
        choices={languageOptions}
        onChoose={(code) => void chooseLanguage(code)}
      />
      <MenuRule />
      <MenuItem icon={LogOut} onChoose={onSignOut}>
        {t('account.signOut')}
      </MenuItem>
    </Menu>
  )
}

/** On a telephone the name is hidden; the button's label has it. */
const AccountName = ({ name }: { name: string }) => (
  <>
    <Icon of={User} />
    <span className={styles['wide']}>{name}</span>
  </>
)

/** Asks before a sign-out while entries are stored only in this browser, or in this window alone, where the sign-out loses them. */
function SignOutDialog({ unsaved, onClose }: { unsaved: number; onClose: () => void }) {
  const { t } = useTranslation('app')
  const isKept = isAllStored()
  return (
    <Dialog title={t('signOut.title')} lead={t(isKept ? 'signOut.unsaved' : 'signOut.notKept', { count: unsaved })} onClose={onClose}>
      <Actions>
        <CloseButton />
        <Button look={isKept ? 'primary' : 'danger'} onClick={() => void signOut()}>
          {t('account.signOut')}
        </Button>
      </Actions>
    </Dialog>
  )
}

/** The choice of the active school, for members of several schools. */
function OwnSchools() {
  const { t } = useTranslation('app')
  const { school_id } = useProfile()
  const { data: memberships = [] } = useQuery(ask('auth', 'schools'))
  const switchTo = useSwitchSchool()
  const open = memberships.filter(({ is_active }) => is_active)
  if (open.length < 2) return null
  return (
    <MenuChoice
      closes
      label={t('navigation.school')}
      value={school_id}
      choices={open.map(({ school: { id, name } }) => ({ id, name }))}
      onChoose={(id) => switchTo.mutate(id)}
    />
  )
}
