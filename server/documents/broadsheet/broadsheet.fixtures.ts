import { defaultGradingScale, letterFor } from '@markbook/shared/domain/letters'
import { meanOfPrinted } from '@markbook/shared/domain/results'
import type { BroadsheetInput, BroadsheetMark, BroadsheetPupil, BroadsheetSubject } from './broadsheet.input.ts'

/* A class of any size with names from many languages, for tests. */

const SUBJECTS =
  'Mathematics;English;Irish;Science;History;Geography;French;Art;Music;Religious Education;Physical Education;Information Technology;German;Home Economics;Technical Graphics;Civic, Social and Political Education;Wood Technology;Business Studies'.split(
    ';',
  )
const FIRST = 'Aoife Seán Zoë Łukasz Élan Noémie Şeyma Þóra Ngọc Søs Jadranka Ọlá Siân Žofia Mei Fatima'.split(' ')
const LAST = 'Murphy;Ó Briain;Adeyemi;Wójcik;Nguyễn;Çelik;Guðmundsdóttir;Fernández de la Cruz;Kelly;Haddad;van den Berg'.split(';')

const subjectsOf = (count: number): BroadsheetSubject[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `s${at}`,
    name: SUBJECTS[at % SUBJECTS.length] + (at < SUBJECTS.length ? '' : ` ${Math.floor(at / SUBJECTS.length) + 1}`),
    code: `C${at}`,
  }))

const marked = (figure: number) => ({ figure, letter: letterFor(defaultGradingScale, figure)?.letter ?? null, is_partial: false })

function pupil(at: number, subjects: readonly BroadsheetSubject[]): BroadsheetPupil {
  const marks: Record<string, BroadsheetMark | null> = {}
  for (const [index, { id }] of subjects.entries()) {
    const seed = (at * 31 + index * 17) % 97
    if (seed === 11) continue
    marks[id] = seed === 12 ? null : marked(Math.round((38 + seed * 0.64) * 100) / 100)
  }
  const overall = meanOfPrinted(Object.values(marks).map((mark) => mark?.figure ?? null))
  return {
    first_name: FIRST[at % FIRST.length] as string,
    last_name: LAST[at % LAST.length] as string,
    student_number: `SB-${String(at + 1).padStart(3, '0')}`,
    // In a small class nobody is «other»; in a large one five or more are.
    gender: ['female', 'male', 'other'][at > 20 && at % 4 === 3 ? 2 : at % 2] as string,
    marks,
    overall_average: overall,
    letter_grade: letterFor(defaultGradingScale, overall)?.letter ?? null,
    position: overall === null ? null : at + 1,
  }
}

export function classOf(pupils: number, subjects: number, more: Partial<BroadsheetInput> = {}): BroadsheetInput {
  const listed = subjectsOf(subjects)
  return {
    school: { name: 'St Brigid’s', address: '4 Mill Road, Kildare', crest: null },
    class_name: '3B',
    year: '2025/26',
    term: 'michaelmas',
    report_type: 'term',
    class_teacher: 'Cathal Byrne',
    scale: defaultGradingScale,
    subjects: listed,
    pupils: Array.from({ length: pupils }, (_, at) => pupil(at, listed)),
    codes: [],
    paper: 'a4',
    language: 'en',
    madeAt: Date.UTC(2025, 11, 12, 15),
    ...more,
  }
}
