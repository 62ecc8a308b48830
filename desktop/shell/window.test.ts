import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mathsExam, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensureBuilt } from '../../scripts/build.mjs'
import { invite } from '../../server/replication/identity/enrolment.ts'
import { asSystem } from '../../server/store/tx.ts'
import { expectForEverybody, picture } from '../ui/tests/browser.ts'
import { chromiumPath } from '../ui/tests/chromium.ts'
import { openSite, type Site } from '../ui/tests/site.ts'
import { lacking, lookInto, openScreen, type Run, startProgram, until } from './display.fixtures.ts'

if (lacking) console.warn(lacking)

type Status = { state: string; waiting: number }

describe.skipIf(lacking !== null || chromiumPath === null)('the program in a real window', () => {
  const data = mkdtempSync(join(tmpdir(), 'markbook-shell-'))
  const own = join(data, 'markbook')
  const profile = join(own, 'window')
  let school: Site
  let screen: Awaited<ReturnType<typeof openScreen>>
  let program: Run
  let browser: Browser
  let page: Page

  const start = (more: readonly string[] = []) => startProgram({ XDG_DATA_HOME: data, DISPLAY: screen.name, XDG_RUNTIME_DIR: data }, more)
  const serverPid = () => (JSON.parse(readFileSync(join(own, 'marks', 'running.json'), 'utf8')) as { pid: number }).pid
  /** Sends a request of the app in the window, with the session of the window. */
  const ask = <T>(method: string, path: string, body?: object): Promise<T> =>
    page.evaluate(
      async ([how, where, what]) => {
        const reply = await fetch(where as string, {
          method: how as string,
          ...(what && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(what) }),
        })
        if (!reply.ok) throw new Error(`${reply.status} ${await reply.text()}`)
        return reply.json()
      },
      [method, path, body] as const,
    ) as Promise<T>
  const markHere = async () => {
    const grades = await ask<{ student_id: string; score: number }[]>('GET', `/api/grades?assessmentId=${mathsExam.id}`)
    return grades.find(({ student_id }) => student_id === zoe.id)?.score
  }
  const save = (score: number) => ask('POST', '/api/grades/bulk', { assessmentId: mathsExam.id, grades: [{ studentId: zoe.id, score }] })

  beforeAll(async () => {
    await ensureBuilt()
    school = await openSite()
    screen = await openScreen()
  })
  afterAll(async () => {
    program?.child.kill('SIGKILL')
    await browser?.close().catch(() => {})
    screen?.close()
    await school?.close().catch(() => {})
    rmSync(data, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  })

  test('shows the page of the first start on an empty computer', async () => {
    const began = performance.now()
    program = start()
    ;({ browser, page } = await lookInto(profile).catch((error: Error) => {
      throw new Error(`${error.message}\n${program.output()}`)
    }))
    await page.getByLabel('Address of the school’s server').waitFor()
    console.log(`The window is usable after ${((performance.now() - began) / 1_000).toFixed(1)} s.`)
    expect(await page.title()).toBe('Markbook: the first start')
    expect(page.url()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/pair$/)
    await expectForEverybody(page)
    await picture(page, 'first-start')
  })

  test('shows what is wrong with an invitation, and keeps what was typed', async () => {
    await page.getByLabel('Address of the school’s server').fill(school.url)
    await page.getByLabel('Invitation code').fill('AAAAA-BBBBB')
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByText('This invitation is wrong, was used already, or is too old.').waitFor()
    expect(await page.getByLabel('Address of the school’s server').inputValue()).toBe(school.url)
  })

  test('pairs with the school by an invitation, and signs its teacher in', async () => {
    const { store } = school.running().node.services
    const { code } = await store.write(asSystem(), (tx) =>
      invite(tx, { kind: 'laptop', schoolId: stBrigids, userId: people.ada.id, by: people.okafor.id }),
    )
    await page.getByLabel('Invitation code').fill(code.toLowerCase())
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.waitForURL((url) => url.pathname === '/')
    expect(await ask('GET', '/api/auth/me')).toMatchObject({ email: people.ada.email, role: 'teacher' })
    expect(await until(markHere, 'the marks have come')).toBe(71)
    await picture(page, 'paired')
  })

  test('saves a mark without the school, keeps it when its server is killed, and sends it to the school', async () => {
    await school.restart(async () => {
      await save(64)
      await until(async () => (await ask<Status>('GET', '/api/sync/status')).waiting > 0 || undefined, 'a change waits')
      const before = serverPid()
      process.kill(before, 'SIGKILL')
      await until(() => serverPid() !== before || undefined, 'another server runs')
      await until(async () => (await markHere()) === 64 || undefined, 'the mark is still there')
      expect(program.output()).toContain('it is started again')
    })
    const head = await school.as('okafor')
    const arrived = async () => {
      const grades = await head.grades.list({ query: { assessmentId: mathsExam.id } })
      return grades.find(({ student_id }) => student_id === zoe.id)?.score === 64 || undefined
    }
    await until(arrived, 'the mark is at school', 60_000)
    await until(async () => (await ask<Status>('GET', '/api/sync/status')).state === 'up_to_date' || undefined, 'and the laptop knows')
  })

  test('shows the existing window when it is started a second time', async () => {
    expect(await start().ended).toBe(0)
    expect(browser.contexts().flatMap((context) => context.pages()).length).toBe(1)
    expect(await markHere()).toBe(64)
  })

  test('asks where a file shall be saved', () => {
    const { download } = JSON.parse(readFileSync(join(profile, 'Default', 'Preferences'), 'utf8')) as { download: object }
    expect(download).toMatchObject({ prompt_for_download: true })
  })

  test('is signed in at the next start, and ends with its server when the window is closed', async () => {
    expect(await start(['--quit']).ended).toBe(0)
    expect(await program.ended).toBe(0)
    expect(() => serverPid()).toThrow()
    program = start()
    rmSync(join(profile, 'DevToolsActivePort'), { force: true })
    ;({ browser, page } = await lookInto(profile))
    await page.waitForURL((url) => url.pathname === '/')
    expect(await ask('GET', '/api/auth/me')).toMatchObject({ email: people.ada.email })
    await page.close()
    expect(await program.ended).toBe(0)
    expect(() => serverPid()).toThrow()
    expect(readFileSync(join(own, 'markbook.log'), 'utf8')).toMatch(/Stopped\.\n$/)
  })
})
