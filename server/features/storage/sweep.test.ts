import { limits } from '@markbook/shared/limits'
import { people } from '@markbook/shared/story/people'
import { draftReport } from '@markbook/shared/story/reports'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Log } from '../../http/log.ts'
import { asSystem } from '../../store/tx.ts'
import { signedIn } from '../../testing/nodes.ts'
import { png } from '../../testing/pictures.ts'
import { type School, school } from '../../testing/school.ts'
import { sweepFiles } from './sweep.ts'

let st: School
beforeEach(async () => {
  st = await school()
})
afterEach(() => st.close())

const pdf = { contentType: 'application/pdf' }
const put = (path: string) => st.services.files.put('report-books', path, Buffer.from(path), pdf)
const paths = async () => (await st.services.files.list('report-books', { prefix: '', limit: 999 })).map(({ path }) => path)
const later = () => st.clock.advance(limits.storage.orphanAgeMs + 1)
const { id: report, school_id, student_group_id, term_id } = draftReport
const file = { file_size: 1, sha256: null, generated_by: null, generated_at: '2026-01-09T15:00:00.000Z' }
const record = (path: string) =>
  st.services.store.write(asSystem(), async (tx) => {
    await tx.insert('report_book_pdf', [{ ...file, id: tx.newId(), school_id, report_book_id: report, file_path: path }])
  })

describe('the sweep of the files', () => {
  test('deletes files without a row for a day, and no others', async () => {
    const flat = `${report}.pdf`
    const [kept, lost, summary] = [`${report}/kept.pdf`, `${report}/lost.pdf`, `classes/${student_group_id}/summary.pdf`]
    for (const path of [flat, kept, lost, summary]) await put(path)
    await record(kept)
    await record(flat)
    await st.services.store.write(asSystem(), async (tx) => {
      const row = { ...file, id: tx.newId(), school_id, student_group_id, term_id, report_type: 'term' as const, file_type: 'pdf' as const }
      await tx.insert('class_report_file', [{ ...row, file_path: summary }])
    })
    expect(await sweepFiles(st.services)).toBe(0)
    later()
    await put(`${report}/new.pdf`)
    expect(await sweepFiles(st.services)).toBe(1)
    expect(await paths()).toEqual([flat, kept, `${report}/new.pdf`, summary].sort())
  })

  test('deletes the files of deleted rows, once these cannot be restored any more', async () => {
    await put(`${report}/one.pdf`)
    await record(`${report}/one.pdf`)
    later()
    expect(await sweepFiles(st.services)).toBe(0)
    await st.services.store.write(asSystem(), async (tx) => {
      const rows = await tx.db.select().from(tx.t.report_book_pdf)
      await tx.remove('report_book_pdf', rows)
    })
    expect(await sweepFiles(st.services)).toBe(0)
    st.clock.advance(limits.binRetentionMs)
    expect(await sweepFiles(st.services)).toBe(0)
    st.clock.advance(1)
    expect(await sweepFiles(st.services)).toBe(1)
    expect(await paths()).toEqual([])
  })

  test('keeps pictures that a row names by content, and those of earlier systems, which lie at the path itself', async () => {
    const { files, store } = st.services
    const [avatar, crest] = [`avatars/${people.ada.id}.png`, `crests/${school_id}.png`]
    for (const path of [avatar, `${crest}/0123.png`, `${crest}/4567.png`, 'unknown/thing', `avatars/${people.byrne.id}.png`])
      await files.put('images', path, png(), { contentType: 'image/png' })
    await store.write(asSystem(), async (tx) => {
      const user = await tx.find('user_profile', '', people.ada.id)
      const own = await tx.find('school', '', school_id)
      if (!user || !own) throw new Error('the story lacks somebody')
      await tx.update('user_profile', [{ before: user, patch: { avatar_path: avatar } }])
      await tx.update('school', [{ before: own, patch: { crest_path: crest, crest_sha256: '4567' } }])
    })
    later()
    expect(await sweepFiles(st.services)).toBe(3)
    expect((await files.list('images', { prefix: '', limit: 9 })).map(({ path }) => path)).toEqual([avatar, `${crest}/4567.png`])
    const { avatar_url } = await (await signedIn(st, 'ada')).auth.me()
    expect((await st.app.fetch(new Request(String(avatar_url)))).status).toBe(200)
    const old = `http://markbook.test/storage/v1/object/public/images/${avatar}`
    expect((await st.app.fetch(new Request(old))).status).toBe(404)
  })

  test('deletes nothing where most files have no row, since they belong to another database', async () => {
    const warnings: unknown[] = []
    const log: Log = { info() {}, error() {}, warn: (line: unknown) => void warnings.push(line) }
    for (let count = 0; count < 120; count += 1) await put(`${report}/${count}.pdf`)
    later()
    expect(await sweepFiles({ ...st.services, log })).toBe(0)
    expect(await paths()).toHaveLength(120)
    expect(warnings).toEqual([{ bucket: 'report-books', orphans: 120, objects: 120 }])
  })
})
