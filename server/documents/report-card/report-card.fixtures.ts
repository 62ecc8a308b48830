import { defaultGradingScale } from '@markbook/shared/domain/letters'
import type { ReportCard, ReportCardFrame, TermEntry, YearEntry, YearLayout } from './report-card.input.ts'

/* St Brigid's at Christmas, for tests of cards and for the picture in the documentation. */

export const frame: ReportCardFrame = {
  school: { name: 'St Brigid’s', address: '4 Mill Road, Kildare', phone: '045 555 0142', email: 'office@stbrigids.example', crest: null },
  class_name: '3B',
  year: '2025/26',
  term: 'michaelmas',
  class_teacher: 'Cathal Byrne',
  scale: defaultGradingScale,
  codes: [],
  paper: 'a4',
  language: 'en',
  madeAt: Date.UTC(2025, 11, 12, 15),
}

type SubjectLine = [subject: string, teacher: string, coursework: number | null, exam: number | null, remark: string | null]
const TOLD: SubjectLine[] = [
  ['Mathematics', 'Ada Nowak', 83.75, 71, 'Careful, tidy work. He explains his reasoning to others and is ready for harder problems.'],
  ['English', 'Cathal Byrne', 82, 74, 'Lively, but hurried.'],
  ['Irish', 'Síle Quinn', 80.5, 77.5, 'An bhfuil níos fearr? Tá! His spoken Irish grew noticeably this term.'],
  ['Science', 'Łucja Wójcik', 91.2, 88, null],
  ['History', 'Tomás Keane', 68, 72.5, 'Good questions in class; the essays need evidence.'],
  ['Geography', 'Síle Quinn', 74.4, 69, null],
  ['French', 'Noémie Lefèvre', 88, 92, 'Excellent accent. Bravo !'],
  ['Art', 'Martin Doyle', 95, null, 'The portfolio was among the best of the year. There was no exam this term.'],
  ['Music', 'Zoë Adeyemi', 79, 81, null],
  ['Religious Education', 'Niamh Walsh', 84, 80, 'Thoughtful and kind in discussion.'],
  ['Physical Education', 'Oisín Kelly', 90, null, null],
  ['Information Technology', 'Mei Chen', 86.5, 90.25, 'Finished the robot project early and helped two others with theirs.'],
]

const letterOf = (figure: number) => defaultGradingScale.bands.find(({ minimum }) => figure >= minimum)?.letter ?? null
const twoPlaces = (figure: number) => Math.round(figure * 100) / 100

export const entries: TermEntry[] = TOLD.map(([subject, teacher, coursework, exam, teacher_remark]) => {
  const term_composite = coursework !== null && exam !== null ? twoPlaces((coursework * 40 + exam * 60) / 100) : (coursework ?? exam)
  return {
    subject,
    teacher,
    coursework_average: coursework,
    exam_average: exam,
    term_composite,
    letter_grade: term_composite === null ? null : letterOf(term_composite),
    teacher_remark,
  }
})

export const termLayout = { kind: 'term', coursework_weight: 40, exam_weight: 60 } as const

export const elan: ReportCard<TermEntry> = {
  id: 'elan',
  student: { first_name: 'Élan', last_name: 'Ó Briain', student_number: 'SB-001', date_of_birth: '2011-03-04' },
  status: 'published',
  overall_average: 81.66,
  position: 3,
  total_students: 28,
  attendance_percentage: 96.5,
  conduct: 'Courteous and punctual. He looked after the class library and welcomed two new pupils.',
  class_teacher_remark:
    'Élan has had a strong Michaelmas term. His work in science and French stands out, and he has grown in confidence when he speaks before the class. Next term I would like to see the same patience in his written English that he already shows in mathematics.',
  entries,
}

/** This many subjects, with names, teachers and remarks like those of St Brigid's. */
export const manyEntries = (count: number): TermEntry[] =>
  Array.from({ length: count }, (_, at) => {
    const entry = entries[at % entries.length] as TermEntry
    return at < entries.length ? entry : { ...entry, subject: `${entry.subject} II` }
  })

export const yearLayout = (kind: YearLayout['kind']): YearLayout => ({
  kind,
  terms: ['Michaelmas', 'Hilary', 'Trinity'],
  coursework_weight: 40,
  exam_weight: 60,
})

export const yearEntries = (kind: YearLayout['kind']): YearEntry[] =>
  entries.map(({ subject, teacher, teacher_remark, term_composite, exam_average }) => {
    const composites = [
      term_composite,
      term_composite && twoPlaces(term_composite - 2.4),
      term_composite && twoPlaces(term_composite + 1.2),
    ]
    const terms = composites.filter((composite) => composite !== null)
    const t = terms.length === 0 ? null : terms.reduce((sum, composite) => sum + composite, 0) / terms.length
    const x = exam_average
    const coursework_total = t === null || kind === 'weighted_continuous' ? null : twoPlaces(t * 0.4)
    const exam_total = x === null || kind !== 'continuous_cumulative' ? null : twoPlaces(x * 0.6)
    const both = t !== null && x !== null && kind !== 'weighted_cumulative' ? t * 0.4 + x * 0.6 : (t ?? x)
    const year_grade = both === null ? null : twoPlaces(both)
    return {
      subject,
      teacher,
      term_composites: composites,
      coursework_total: x === null && kind === 'continuous_cumulative' ? null : coursework_total,
      exam_total,
      end_of_year_exam: x,
      year_grade,
      letter_grade: year_grade === null ? null : letterOf(year_grade),
      teacher_remark,
    }
  })
