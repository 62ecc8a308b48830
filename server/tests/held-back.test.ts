import { invitations } from '@markbook/shared/contract/invitations'
import { schools } from '@markbook/shared/contract/schools'
import { limits } from '@markbook/shared/limits'
import { people } from '@markbook/shared/story/people'
import { draftReport } from '@markbook/shared/story/reports'
import type { Row } from '@markbook/shared/tables/tables'
import { eq } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { csv } from '../features/imports/sheets.fixtures.ts'
import { form, pdfOf } from '../features/reports/files/files.fixtures.ts'
import { asSystem } from '../store/tx.ts'
import { type School, school } from '../testing/school.ts'

let st: School
beforeEach(async () => {
  st = await school()
})
afterEach(async () => {
  vi.restoreAllMocks()
  await st.close()
})

const change = (user: string, patch: Partial<Row<'school_management'>>) =>
  st.services.store.write(asSystem(), async (tx) => {
    const [row] = await tx.db.select().from(tx.t.school_management).where(eq(tx.t.school_management.user_id, user))
    await tx.update('school_management', row as Row<'school_management'>, patch)
  })
const signOut = (user: string) =>
  st.services.store.write(asSystem(), (tx) =>
    tx.local.update(tx.t.session).set({ revoked_at: tx.now }).where(eq(tx.t.session.user_id, user)),
  )
const head = people.okafor.id

/** Begins a request of the head and leaves its last byte out; what it answers sends that. */
async function heldBack(method: string, path: string, value: object) {
  const bytes = Buffer.from(JSON.stringify(value))
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const headers = { cookie: st.cookieOf('okafor'), 'content-type': 'application/json' }
  const reading = vi.spyOn(st.services.store, 'readOnce')
  const init = { method, headers, body: readable, duplex: 'half' } as RequestInit
  const reply = Promise.resolve(st.app.fetch(new Request(`http://markbook.test${path}`, init)))
  void writer.write(bytes.subarray(0, -1))
  await vi.waitFor(() => expect(reading).toHaveBeenCalled())
  await reading.mock.results[0]?.value
  return async () => {
    void writer.write(bytes.subarray(-1)).then(() => writer.close())
    const { status, body } = await reply.then(async (answer) => ({ status: answer.status, body: (await answer.json()) as object }))
    return `${status} ${'code' in body ? body.code : 'done'}`
  }
}

type HeldRequest = [method: string, path: string, value: object]
const asked: Record<string, HeldRequest> = {
  'another administrator': ['PATCH', schools.updateMember.path.replace(':userId', people.ada.id), { role: 'admin' }],
  'an invitation': ['POST', invitations.invite.path, { people: [{ email: 'later@mail.example', role: 'admin' }], byMail: false }],
  'a code for a server': ['POST', '/api/sync/nodes/invite', { kind: 'school' }],
}

describe('a request whose last byte is held back', () => {
  const losses = {
    'was signed out': [() => signOut(head), '401 unauthenticated'],
    'is no administrator any more': [() => change(head, { role: 'teacher' }), '403 admin_only'],
    'was suspended': [() => change(head, { is_active: false }), '403 inactive'],
  } as const

  test.each(Object.keys(losses).flatMap((loss) => Object.keys(asked).map((what) => [what, loss] as const)))(
    'makes no %s once its person %s',
    async (what, loss) => {
      const finish = await heldBack(...(asked[what] as HeldRequest))
      const [lose, refusal] = losses[loss as keyof typeof losses]
      await lose()
      const before = await st.digest()
      st.clock.advance(limits.session.rightsReuseMs)
      expect(await finish()).toBe(refusal)
      expect(await st.digest()).toBe(before)
    },
  )

  test('is done while nothing has changed, however long it took', async () => {
    const finish = await heldBack(...(asked['another administrator'] as HeldRequest))
    st.clock.advance(120_000)
    expect(await finish()).toBe('200 done')
  })
})

test('a file that is being stored when its sender is signed out is nobody’s', async () => {
  const before = await st.rows('report_book_pdf')
  const put = st.services.files.put.bind(st.services.files)
  vi.spyOn(st.services.files, 'put').mockImplementation(async (...given) => {
    await signOut(people.byrne.id)
    st.clock.advance(limits.session.rightsReuseMs)
    return put(...given)
  })
  const { status } = await st.as.byrne.reportFiles.uploadPdf.raw({ params: { id: draftReport.id }, body: form(pdfOf('x')) })
  expect(status).toBe(401)
  expect(await st.rows('report_book_pdf')).toEqual(before)
})

test('a list of pupils that is being read when its sender is demoted is not taken in', async () => {
  const before = await st.rows('student')
  const read = st.services.documents.readSheet.bind(st.services.documents)
  vi.spyOn(st.services.documents, 'readSheet').mockImplementation(async (...given) => {
    await change(head, { role: 'teacher' })
    st.clock.advance(limits.session.rightsReuseMs)
    return read(...given)
  })
  const body = csv('first_name,last_name,gender', 'Nia,Moss,female')
  const { status } = await st.as.okafor.imports.students.raw({ query: {}, body })
  expect(status).toBe(403)
  expect(await st.rows('student')).toEqual(before)
})
