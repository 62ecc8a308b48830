import { randomBytes } from 'node:crypto'
import { NEW_PEER } from '@markbook/server/peers/enrolment'
import { nodeKeys } from '@markbook/server/peers/keys'
import { asSystem, type WriteTx } from '@markbook/server/store/tx'
import { systemClock } from '@markbook/shared/clock'
import { COMMONS, idSource, naturalId } from '@markbook/shared/ids'
import { cursorToText } from '@markbook/sync/protocol/cursor'
import { atCentre } from './joining.ts'
import { SECRET } from './requests.ts'

/** A school with one class of ten, and a node of its own that is enrolled at the centre: what that node needs to speak for itself. */
export type SmallSchool = {
  id: string
  peer: string
  node: string
  teacher: string
  term: string
  assessment: string
  pupils: string[]
  /** Where a node stands that has copied the school as it was made. */
  cursor: string
}

const PUPILS = 10
const newId = idSource(systemClock.now, (size) => randomBytes(size))

async function fill(tx: WriteTx, { id, teacher, term, assessment, pupils }: SmallSchool, number: number): Promise<void> {
  const [year, subject, group] = [newId(), newId(), newId()]
  const own = { school_id: id }
  const [start_date, end_date] = ['2025-09-01', '2026-06-30']
  const email = `teacher@small${number}.example`
  await tx.insert('school', [
    { id, name: `Small School ${number}`, code: null, school_type: 'primary', address: null, email: null, phone: null, is_active: true },
  ])
  await tx.insert('user_profile', [
    { id: teacher, email, first_name: 'Terry', last_name: 'Teacher', avatar_path: null, avatar_updated_at: null, school_id: id },
  ])
  await tx.insert('school_management', [
    { ...own, id: naturalId('membership', teacher, id), user_id: teacher, role: 'admin', is_active: true },
  ])
  await tx.insert('academic_year', [
    {
      ...own,
      id: year,
      name: '2025/2026',
      start_date,
      end_date,
      grading_model: 'year_based',
      calculation_model: 'weighted_continuous',
      year_exam_weight: 60,
      year_coursework_weight: 40,
    },
  ])
  await tx.insert('term', [
    {
      ...own,
      id: term,
      academic_year_id: year,
      name: 'michaelmas',
      start_date,
      end_date: '2025-12-20',
      exam_weight: 60,
      coursework_weight: 40,
      is_ministry_reporting: false,
      sort_order: 1,
    },
  ])
  await tx.insert('subject', [{ ...own, id: subject, name: 'Reading', code: 'R', sort_order: 1, is_active: true }])
  await tx.insert(
    'student',
    pupils.map((pupil, seat) => ({
      ...own,
      id: pupil,
      first_name: 'Pupil',
      last_name: `Family${seat}`,
      gender: 'female' as const,
      date_of_birth: '2015-03-04',
      enrollment_date: '2021-09-01',
      is_active: true,
      student_number: `S-${seat}`,
    })),
  )
  await tx.insert('student_group', [{ ...own, id: group, name: 'Class 1', academic_year_id: year, created_by: null }])
  await tx.insert('assessment', [
    {
      ...own,
      id: assessment,
      term_id: term,
      subject_id: subject,
      student_group_id: group,
      title: 'Assessment 1',
      assessment_type: 'coursework',
      assessment_date: null,
      max_score: 100,
      weight: null,
      is_excluded: false,
      exclusion_reason: null,
      sort_order: 1,
      created_by: null,
    },
  ])
}

async function enrol(tx: WriteTx, { id, peer, node }: SmallSchool, number: number): Promise<void> {
  const { publicKey, boxKey } = nodeKeys(SECRET, node)
  await tx.local.insert(tx.t.sync_peer).values({
    ...NEW_PEER,
    id: peer,
    side: 'child',
    kind: 'school',
    name: `Small School ${number}`,
    school_id: id,
    user_id: null,
    node_id: node,
    public_key: publicKey,
    box_key: boxKey,
    enrolled_at: tx.now,
  })
}

/** So many small schools, each with its node, in a central database whose server may be running. */
export const smallSchools = (url: string, count: number): Promise<SmallSchool[]> =>
  atCentre(url, async (store) => {
    const schools: SmallSchool[] = []
    for (let number = 1; number <= count; number += 1) {
      const id = newId()
      const pupils = Array.from({ length: PUPILS }, () => newId())
      const teacher = naturalId('user', `teacher@small${number}.example`)
      const school: SmallSchool = { id, peer: newId(), node: newId(), teacher, term: newId(), assessment: newId(), pupils, cursor: '' }
      await store.write(asSystem(), async (tx) => {
        await fill(tx, school, number)
        await enrol(tx, school, number)
      })
      schools.push(school)
    }
    await store.read(asSystem(), async (tx) => {
      const people = (await tx.dialect.feedOf(tx.line, COMMONS)).seq
      for (const school of schools) {
        const { seq } = await tx.dialect.feedOf(tx.line, school.id)
        school.cursor = cursorToText({ kind: 'feed', epoch: store.nodeId, seq, people })
      }
    })
    return schools
  })
