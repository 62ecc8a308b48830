import { searchTerm } from '@markbook/shared/domain/fold'
import type { Row } from '@markbook/shared/tables/tables'
import { and, eq, inArray } from 'drizzle-orm'
import type { Store } from '../../store/store.ts'
import { asSystem, type ReadTx } from '../../store/tx.ts'

type Named = { id: string; name: string }
const SHOWN = 30

/**
 * The row with this id; else the one with this name, without regard to case and accents; else the only one whose name contains the text.
 * `what`: the word for it in an error. Throws where there is none or several.
 */
function oneOf<T extends Named>(what: string, rows: readonly T[], typed: string): T {
  const whole = rows.filter(({ id, name }) => id === typed || searchTerm(name) === searchTerm(typed))
  const part = rows.filter(({ name }) => searchTerm(name).includes(searchTerm(typed)))
  const [found, another] = whole.length > 0 ? whole : part
  if (found && !another) return found
  const names = rows.slice(0, SHOWN).map(({ name }) => name)
  const known = names.length > 0 ? `There are: ${names.join(', ')}${rows.length > SHOWN ? ', …' : ''}.` : 'There is none yet.'
  throw new Error(found ? `Several are called ${typed}; give the id of the ${what}.` : `There is no ${what} ${typed}. ${known}`)
}

/** A person in the staff of a school. */
export type Admin = { userId: string; email: string; schoolId: string; schoolName: string }

type Role = 'admin' | 'teacher'

/** The active members of all schools here with one of these roles. */
async function membersOf(tx: ReadTx, roles: readonly Role[]): Promise<(Admin & { role: string })[]> {
  const { school_management: member, user_profile: person, school } = tx.t
  return tx.db
    .select({ userId: person.id, email: person.email, schoolId: school.id, schoolName: school.name, role: member.role })
    .from(member)
    .innerJoin(person, eq(person.id, member.user_id))
    .innerJoin(school, eq(school.id, member.school_id))
    .where(and(inArray(member.role, [...roles]), eq(member.is_active, true)))
    .orderBy(school.name, person.email)
}

/** The member with an address, in that person's active school. Throws where there is none. */
const memberNamed = (store: Store, email: string, roles: readonly Role[], what: string): Promise<Admin> =>
  store.read(asSystem(), async (tx) => {
    const all = await membersOf(tx, roles)
    const { user_profile: person } = tx.t
    const [profile] = await tx.db.select({ school_id: person.school_id }).from(person).where(eq(person.email, email))
    const found = all.find((member) => member.email === email && member.schoolId === profile?.school_id)
    if (found) return found
    const admins = all.filter(({ role }) => role === 'admin')
    const known = [...new Set(admins.map(({ email }) => email))].slice(0, SHOWN).join(', ')
    throw new Error(`${email} is no ${what} here. ${known ? `Administrators are: ${known}.` : 'There is no school here yet.'}`)
  })

/** By an e-mail address, in that person's active school. Both throw where there is no such member. */
export const administrator = (store: Store, email: string) => memberNamed(store, email, ['admin'], 'administrator')
export const staffMember = (store: Store, email: string) => memberNamed(store, email, ['admin', 'teacher'], 'administrator or teacher')

/** The administrator or teacher of a school, by id. Throws where they left it. */
export const staffById = (store: Store, user: string, school: string): Promise<Admin> =>
  store.read(asSystem(), async (tx) => {
    const found = (await membersOf(tx, ['admin', 'teacher'])).find(({ userId, schoolId }) => userId === user && schoolId === school)
    if (found) return found
    throw new Error('The person whose laptop this is works at that school no longer.')
  })

/** The schools of this database by name; only the one that was typed, where one was. */
export async function schoolsHere(tx: ReadTx, typed?: string): Promise<Named[]> {
  const { school } = tx.t
  const all = await tx.db.select({ id: school.id, name: school.name }).from(school).orderBy(school.name)
  return typed === undefined ? all : [oneOf('school', all, typed)]
}

/** The school that was typed, or the only one. Throws where there is none, or where there are several and none was typed. */
export async function schoolChosen(tx: ReadTx, typed: string | undefined): Promise<Named> {
  const schools = await schoolsHere(tx)
  const [only, another] = schools
  if (!only) throw new Error('There is no school in this database yet.')
  if (another && typed === undefined) throw new Error(`Say which school, with --school: ${schools.map(({ name }) => name).join(', ')}.`)
  return typed === undefined ? only : oneOf('school', schools, typed)
}

/** The same school, with one of its administrators. Throws where it has none. */
export const schoolNamed = (store: Store, typed: string | undefined): Promise<Admin> =>
  store.read(asSystem(), async (tx) => {
    const school = await schoolChosen(tx, typed)
    const admin = (await membersOf(tx, ['admin'])).find(({ schoolId }) => schoolId === school.id)
    if (admin) return admin
    throw new Error(`${school.name} has no administrator, in whose name its results could be read.`)
  })

export type ClassAndTerm = { className: string; term: string }
export type Sheet = ClassAndTerm & { year?: string | undefined; subject?: string | undefined }
export type FoundSheet = { year: Row<'academic_year'>; group: Row<'student_group'>; term: Row<'term'>; subjects: Row<'subject'>[] }

/**
 * A year (the active one where undefined), a class and a term of it, and the subject or all subjects, by their names. Throws where a name
 * is not found or not unique.
 */
export async function sheetNamed(tx: ReadTx, school: string, { year, className, term, subject }: Sheet): Promise<FoundSheet> {
  const { academic_year, active_year, student_group, term: terms, subject: subjects } = tx.t
  const years = await tx.db.select().from(academic_year).where(eq(academic_year.school_id, school)).orderBy(academic_year.start_date)
  const [active] = await tx.db.select().from(active_year).where(eq(active_year.school_id, school))
  const wanted = year ?? active?.academic_year_id
  if (!wanted) throw new Error('No year is active. Name one with --year.')
  const found = oneOf('year', years, wanted)
  const ofYear = <R extends { academic_year_id: string }>(rows: readonly R[]) => rows.filter((row) => row.academic_year_id === found.id)
  const groups = await tx.db.select().from(student_group).where(eq(student_group.school_id, school)).orderBy(student_group.name)
  const group = oneOf('class', ofYear(groups), className)
  const ofSchool = await tx.db.select().from(terms).where(eq(terms.school_id, school)).orderBy(terms.sort_order)
  const chosen = oneOf('term', ofYear(ofSchool), term)
  const all = await tx.db.select().from(subjects).where(eq(subjects.school_id, school)).orderBy(subjects.sort_order, subjects.name)
  return { year: found, group, term: chosen, subjects: subject === undefined ? all : [subjectNamed(all, subject)] }
}

/** The ways to split «class/term» at a slash, of which both names may have some. The last slash comes first. */
export const placesIn = (typed: string): ClassAndTerm[] =>
  [...typed.matchAll(/\//g)]
    .map(({ index }) => ({ className: typed.slice(0, index), term: typed.slice(index + 1) }))
    .filter(({ className, term }) => className !== '' && term !== '')
    .reverse()

/**
 * The one way to read a class and a term that exists in the school. Throws where several exist, and where none does the error of the first.
 */
export async function placeNamed(
  tx: ReadTx,
  school: string,
  { places, ...more }: { places: readonly ClassAndTerm[]; year?: string | undefined },
) {
  const found: ClassAndTerm[] = []
  const wrong: unknown[] = []
  for (const place of places) {
    await sheetNamed(tx, school, { ...more, ...place }).then(
      () => found.push(place),
      (error: unknown) => wrong.push(error),
    )
  }
  const [only, another] = found
  if (only && !another) return only
  if (only) throw new Error('Several classes and terms are called so; give the id of the term after the slash.')
  throw wrong[0]
}

const subjectNamed = (all: readonly Row<'subject'>[], typed: string) =>
  all.find(({ code }) => code.toLowerCase() === typed.toLowerCase()) ?? oneOf('subject', all, typed)
