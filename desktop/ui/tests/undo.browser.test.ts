import type { Client } from '@markbook/shared/contract/client'
import type { contract } from '@markbook/shared/contract/contract'
import { zoe } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { class3B, maths, michaelmas, thisYear } from '@markbook/shared/story/school-year'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectFits, expectForEverybody, openWindow, picture, sizes } from './browser.ts'
import { headlessPath } from './chromium.ts'
import { siteInBrowser } from './site.ts'

type Head = Client<typeof contract>
type Case = {
  what: string
  path: string
  change: (page: Page) => Promise<void>
  /** Reads the changed data from the server. */
  read: (head: Head) => Promise<unknown>
}

const save = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
const inClass = `/classes/${class3B.id}`
const pupilsOf3B = async (head: Head) => (await head.classes.students({ params: { id: class3B.id } })).map(({ id }) => id)

const termsOfLater = async (head: Head) => {
  const later = (await head.academicYears.list()).find(({ name }) => name === '2031/32')
  return (await head.terms.list({ query: { yearId: later?.id ?? '' } })).map(({ name }) => name)
}
const categories = async (head: Head) =>
  (await head.assessmentCategories.list({ query: { academicYearId: thisYear.id } })).map(({ name, weight }) => [name, weight])

const cases: Case[] = [
  {
    what: 'the name of a class',
    path: inClass,
    change: async (page) => {
      await page.getByRole('button', { name: 'Rename' }).click()
      await page.getByRole('textbox', { name: 'Name' }).fill('3 Beech')
      await save(page)
    },
    read: async (head) => (await head.classes.get({ params: { classId: class3B.id } })).name,
  },
  {
    what: 'the name of a subject',
    path: '/subjects',
    change: async (page) => {
      await page.getByRole('button', { name: 'Change Irish' }).click()
      await page.getByRole('textbox', { name: 'Name' }).fill('Gaeilge')
      await save(page)
    },
    read: async (head) => (await head.subjects.list({})).map(({ name }) => name),
  },
  {
    what: 'the name of a pupil',
    path: `/students/${zoe.id}`,
    change: async (page) => {
      await page.getByRole('button', { name: 'Change', exact: true }).click()
      await page.getByLabel('Last name').fill('Adeyemi-Byrne')
      await save(page)
    },
    read: async (head) => (await head.students.get({ params: { id: zoe.id } })).last_name,
  },
  {
    what: 'the role of a person',
    path: '/people',
    change: async (page) => void (await page.getByLabel('Role of Niamh Walsh').selectOption('teacher')),
    read: async (head) => (await head.schools.members({})).find(({ user_id }) => user_id === people.niamh.id)?.role,
  },
  {
    what: 'a pupil who is taken out of a class',
    path: inClass,
    change: async (page) => {
      await page.getByRole('button', { name: 'Take Zoë Adeyemi out of the class' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Take out' }).click()
    },
    read: pupilsOf3B,
  },
  {
    what: 'the subjects of a pupil',
    path: inClass,
    change: async (page) => {
      await page.getByRole('button', { name: 'Subjects of Zoë Adeyemi' }).click()
      await page.getByRole('dialog').getByLabel('Science').uncheck()
      await save(page)
    },
    read: async (head) => (await head.classes.studentSubjects({ params: { id: class3B.id, sid: zoe.id } })).map(({ name }) => name),
  },
  {
    what: 'what a teacher teaches',
    path: inClass,
    change: async (page) => {
      await page.getByRole('button', { name: 'Change what Ada Nowak teaches' }).click()
      await page.getByRole('dialog').getByLabel('Science').check()
      await save(page)
    },
    read: async (head) =>
      (await head.classes.teachers({ params: { classId: class3B.id } }))
        .find(({ teacherId }) => teacherId === people.ada.id)
        ?.subjects.map(({ name }) => name),
  },
  {
    what: 'the telephone of the school',
    path: '/school',
    change: async (page) => {
      await page.getByRole('textbox', { name: 'Telephone' }).fill('045 123')
      await page.getByRole('button', { name: 'Save' }).first().click()
    },
    read: async (head) => (await head.schools.mine({})).phone,
  },
  {
    what: 'a subject that is deleted',
    path: '/subjects',
    change: async (page) => {
      await page.getByRole('button', { name: 'Change Music' }).click()
      await page.getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('dialog', { name: 'Delete Music?' }).getByRole('button', { name: 'Delete' }).click()
    },
    read: async (head) => (await head.subjects.list({})).map(({ name }) => name),
  },
  {
    what: 'the name and the days of a year',
    path: '/years',
    change: async (page) => {
      await page.getByRole('button', { name: 'Change the year 2031/32' }).click()
      await page.getByLabel('Name').fill('2031 to 32')
      await page.getByLabel('Last day').fill('2032-07-15')
      await save(page)
    },
    read: async (head) => (await head.academicYears.list()).map(({ name, end_date }) => [name, end_date]),
  },
  {
    what: 'a year that is added',
    path: '/years',
    change: async (page) => {
      await page.getByRole('button', { name: 'Add a year' }).click()
      await page.getByLabel('Name').fill('2032/33')
      await page.getByLabel('First day').fill('2032-09-01')
      await page.getByLabel('Last day').fill('2033-06-30')
      await save(page)
    },
    read: async (head) => (await head.academicYears.list()).map(({ name }) => name),
  },
  {
    what: 'which year is the current one',
    path: '/years',
    change: async (page) => {
      await page.getByRole('region', { name: '2031/32' }).getByRole('button', { name: 'Make it the current year' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Make it' }).click()
    },
    read: async (head) => (await head.academicYears.list()).map(({ is_active }) => is_active),
  },
  {
    what: 'the end of the current year',
    path: '/years',
    change: async (page) => {
      await page.getByRole('button', { name: 'End this year' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'End this year' }).click()
    },
    read: async (head) => (await head.academicYears.list()).map(({ is_active }) => is_active),
  },
  {
    what: 'the days and weights of a term',
    path: '/years',
    change: async (page) => {
      await page.getByRole('region', { name: thisYear.name }).getByRole('button', { name: 'Change the term Michaelmas' }).click()
      await page.getByLabel('Last day').fill('2025-12-12')
      await page.getByLabel('Exams, in %').fill('70')
      await save(page)
    },
    read: async (head) =>
      (await head.terms.list({ query: { yearId: thisYear.id } })).map(({ end_date, exam_weight }) => [end_date, exam_weight]),
  },
  {
    what: 'a term that is added',
    path: '/years',
    change: async (page) => {
      await page.getByRole('region', { name: '2031/32' }).getByRole('button', { name: 'Add a term' }).click()
      await save(page)
    },
    read: termsOfLater,
  },
  {
    what: 'all terms of a year at once',
    path: '/years',
    change: async (page) => {
      await page.getByRole('region', { name: '2031/32' }).getByRole('button', { name: 'Semester 1 and Semester 2' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Add them' }).click()
    },
    read: termsOfLater,
  },
  {
    what: 'a category that is changed',
    path: `/years/${thisYear.id}/categories`,
    change: async (page) => {
      await page.getByRole('button', { name: 'Change the category Quizzes' }).click()
      await page.getByLabel('Weight, in %').fill('35')
      await save(page)
    },
    read: categories,
  },
  {
    what: 'a category that is deleted',
    path: `/years/${thisYear.id}/categories`,
    change: async (page) => {
      await page.getByRole('button', { name: 'Change the category Quizzes' }).click()
      await page.getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('dialog', { name: 'Delete Quizzes?' }).getByRole('button', { name: 'Delete' }).click()
    },
    read: categories,
  },
]

describe.skipIf(!headlessPath)('the message after a change', () => {
  const { site, browser } = siteInBrowser()
  let page: Page
  let head: Head
  let faults: string[]
  beforeAll(async () => {
    head = await site.as('okafor')
    await head.subjects.create({ body: { name: 'Music', code: 'MU' } })
    const span = { startDate: '2031-09-01', endDate: '2032-06-30' }
    await head.academicYears.create({ body: { name: '2031/32', gradingModel: 'term_based', ...span } })
    const quizzes = {
      name: 'Quizzes',
      subjectId: null,
      assessmentType: 'coursework',
      weight: 40,
      dropLowest: 0,
      isExtraCredit: false,
    } as const
    await head.assessmentCategories.create({ body: { academicYearId: thisYear.id, ...quizzes } })
    const opened = await openWindow(browser)
    page = opened.page
    faults = opened.faults
    await site.signIn(opened.context, 'okafor')
  })

  for (const { what, path, change, read } of cases)
    test(`undoes and redoes ${what}`, async () => {
      const before = await read(head)
      await page.goto(`${site.url}${path}`)
      await change(page)
      const undo = page.getByRole('button', { name: 'Undo', exact: true })
      // The message appears after the last request, where a change has several.
      await undo.waitFor()
      const after = await read(head)
      expect(after).not.toEqual(before)
      await undo.click()
      await expect.poll(() => read(head)).toEqual(before)
      await page.getByRole('button', { name: 'Redo', exact: true }).click()
      await expect.poll(() => read(head)).toEqual(after)
      await page.getByRole('button', { name: 'Undo', exact: true }).click()
      await expect.poll(() => read(head)).toEqual(before)
      expect(faults).toEqual([])
    })

  test('keeps a new teaching set and a new year to which something was added since', async () => {
    const ofYear = { query: { academicYearId: thisYear.id } }
    const undo = page.getByRole('button', { name: 'Undo', exact: true })
    const kept = page
      .getByRole('region', { name: 'Notifications' })
      .getByText('Something was added to it since, so it stays.', { exact: false })
    const fill = [
      (id: string) => head.teachingSets.setStudents({ params: { id }, body: { studentIds: [zoe.id] } }),
      (id: string) =>
        head.assessments.create({
          body: { termId: michaelmas.id, subjectId: maths.id, teachingSetId: id, title: 'Test', assessmentType: 'exam', maxScore: 10 },
        }),
    ]
    for (const [at, add] of fill.entries()) {
      await page.goto(`${site.url}/sets`)
      await page.getByRole('button', { name: 'Add a set' }).click()
      await page.getByRole('textbox', { name: 'Name' }).fill(`Maths ${at}`)
      await page.getByRole('dialog').getByLabel('Subject').selectOption('Mathematics')
      await save(page)
      await undo.waitFor()
      const named = async () => (await head.teachingSets.list(ofYear)).find(({ name }) => name === `Maths ${at}`)
      await add((await named())?.id ?? '')
      await undo.click()
      await kept.waitFor()
      expect(await named()).toBeDefined()
    }
    await picture(page, 'undo-kept-pc')
    await page.goto(`${site.url}/years`)
    await page.getByRole('button', { name: 'Add a year' }).click()
    await save(page)
    await undo.waitFor()
    const year = async () => (await head.academicYears.list()).find(({ name }) => name === '2032/33')
    const { id } = await head.classes.create({ body: { name: '1A', academicYearId: (await year())?.id ?? '' } })
    await undo.click()
    await kept.waitFor()
    expect((await head.classes.get({ params: { classId: id } })).name).toBe('1A')
  })

  test('fits a telephone, and is accessible', async () => {
    await page.setViewportSize(sizes.phone)
    await page.goto(`${site.url}${inClass}`)
    await cases[0]?.change(page)
    await page.getByRole('button', { name: 'Undo', exact: true }).waitFor()
    await expectForEverybody(page)
    await expectFits(page)
    await picture(page, 'undo-phone')
    await page.setViewportSize(sizes.pc)
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await page.getByRole('button', { name: 'Redo', exact: true }).waitFor()
    await picture(page, 'undo-redo-pc')
  })

  test('the newest two messages are shown, and their buttons work', async () => {
    const names = async () => (await head.subjects.list({})).map(({ name }) => name)
    const undo = page.getByRole('button', { name: 'Undo', exact: true }).filter({ visible: true })
    await page.goto(`${site.url}/subjects`)
    for (const name of ['Latin', 'Greek', 'Hebrew', 'Sanskrit']) {
      await page.getByRole('button', { name: 'Add a subject' }).click()
      await page.getByRole('textbox', { name: 'Name' }).fill(name)
      await page.getByRole('textbox', { name: 'Code' }).fill(name.slice(0, 3).toUpperCase())
      await save(page)
      await page.getByText(`${name} is saved.`).waitFor()
      // Checked at once, since the oldest close by themselves later.
      expect(await undo.count()).toBeLessThanOrEqual(2)
    }
    await expect.poll(() => undo.count()).toBe(2)
    await page.getByRole('link', { name: 'Grading scale' }).click({ trial: true })
    await picture(page, 'undo-several-pc')
    await undo.last().click()
    await expect.poll(names).not.toContain('Hebrew')
    expect(await names()).toEqual(expect.arrayContaining(['Latin', 'Greek', 'Sanskrit']))
  })
})
