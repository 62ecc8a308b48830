import { fold } from '@markbook/shared/domain/fold'

/** The columns of the import of pupils, by their names on the server (decisions §6). */
export const columns = ['last_name', 'first_name', 'gender', 'class', 'date_of_birth', 'student_number', 'enrollment_date'] as const
export type Column = (typeof columns)[number]

/** Headings that schools use, in the languages of the app; the most usual first. */
const SYNONYMS: Record<Column, string> = {
  last_name:
    'last name, surname, family name, nom de famille, nom, nom usuel, nom d’usage, nom de naissance, اللقب, اسم العائلة, الكنية, النسبة, الشهرة',
  first_name:
    'first name, forename, forenames, given name, given names, christian name, prénom, prénoms, prénom usuel, الاسم, الاسم الأول, الاسم الشخصي',
  gender: 'gender, sex, sexe, genre, m/f, f/m, boy/girl, girl/boy, boy or girl, fille/garçon, garçon/fille, h/f, f/h, الجنس, النوع',
  class:
    'class, form, classe, class name, form class, form group, tutor group, class group, current class, group, division, groupe, groupe classe, nom de la classe, الصف, القسم, الفصل, الشعبة',
  date_of_birth:
    'date of birth, dob, d.o.b., birth date, birthdate, birthday, day of birth, born, born on, birth, date de naissance, naissance, date naiss., né le, née le, né(e) le, ddn, تاريخ الميلاد, تاريخ الولادة',
  student_number:
    'number, student number, no., nr, id, roll number, roll no, admission number, admission no, adm. no, register number, reg. no, registration number, index number, unique number, upn, matricule, numéro, n°, num, numéro matricule, n° matricule, identifiant, ine, الرقم, رقم التلميذ, رقم الطالب, رقم التسجيل, المعرف الوحيد',
  enrollment_date:
    'enrollment date, enrolment date, date of enrolment, enrolled, enrolled on, admission date, date of admission, admitted, entry date, date of entry, start date, joined, date joined, at the school since, date d’inscription, inscription, inscrit le, date d’entrée, entrée, entré le, à l’école depuis, تاريخ التسجيل, تاريخ الالتحاق',
}

/** Words that only say whose: «Pupil’s surname», «Nom de l’élève». */
const PERSON_WORDS = new Set('pupil, pupils, student, students, learner, child, eleve, eleves, etudiant, enfant, apprenant'.split(', '))
const STOP_WORDS = new Set(['the', 'of', 'du', 'de', 'des', 'd', 'l', 's', 'la', 'le'])

/** The words of a heading, without case, accents, signs and stop words. */
const wordsOf = (heading: string): string[] =>
  fold(heading.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2'))
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !STOP_WORDS.has(word))
const keyOf = (heading: string): string =>
  wordsOf(heading)
    .filter((word) => !PERSON_WORDS.has(word))
    .join('')

const known = new Map<string, { column: Column; rank: number }>()
for (const column of columns) {
  for (const [rank, name] of [column, ...SYNONYMS[column].split(', ')].entries()) {
    if (!known.has(keyOf(name))) known.set(keyOf(name), { column, rank })
  }
}

/** The column of a heading, also without text in brackets: «Date of birth (dd/mm/yyyy)». */
const meaningOf = (heading: string) => known.get(keyOf(heading)) ?? known.get(keyOf(heading.replace(/[([].*?[)\]]/g, ' ')))

export const isSameHeading = (a: string, b: string): boolean => keyOf(a) === keyOf(b)

/** «Name» alone means the last name where another column has the first names. */
const isPlainName = (heading: string): boolean => keyOf(heading) === 'name'

/** The column of each heading; null where unknown. Of two headings for one column the more usual one counts, then the first. */
export function guessColumns(head: readonly string[]): (Column | null)[] {
  const guesses = head.map(meaningOf)
  const best = new Map<Column, number>()
  for (const [at, guess] of guesses.entries()) {
    const before = guess && best.get(guess.column)
    if (guess && (before === undefined || guess.rank < (guesses[before]?.rank ?? 0))) best.set(guess.column, at)
  }
  const plain = head.findIndex(isPlainName)
  if (plain >= 0 && best.has('first_name') && !best.has('last_name')) best.set('last_name', plain)
  const columnAt = new Map([...best].map(([column, at]) => [at, column]))
  return head.map((_, at) => columnAt.get(at) ?? null)
}
