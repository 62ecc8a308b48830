import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { groupedBy } from '@markbook/shared/grouped-by'
import { findColumns, type SheetRow } from '@markbook/shared/spreadsheet/table'
import { readCsv } from '../../../documents/csv.ts'

type Gender = 'male' | 'female'

/** One pupil of the data set. `marks`: those of the three terms in order, 0 to 20. */
export type RealPupil = {
  number: string
  firstName: string
  lastName: string
  gender: Gender
  birthDate: string
  className: string
  marks: readonly [number, number, number]
}

const COLUMNS = ['row', 'school', 'gender', 'age', 'first_period', 'second_period', 'final'] as const
const CLASS_SIZE = 30
const YEAR_START = '2025-09-01'
const DAY = 86_400_000

/** The CSV lies beside this file in the sources, and the bundle reads it there too. */
function csvPath(): string {
  const name = 'student-performance-mathematics.csv'
  const found = [join(import.meta.dirname, name), join(import.meta.dirname, '..', 'server', 'cli', 'seed', 'real', name)].find((path) =>
    existsSync(path),
  )
  if (!found) throw new Error(`${name} is missing beside the program`)
  return found
}

/** A date of birth with which the pupil is `age` years old when school starts; spread over the year by row. */
function birthDate(age: number, row: number): string {
  const youngest = Date.parse(`${Number(YEAR_START.slice(0, 4)) - age}${YEAR_START.slice(4)}`)
  return new Date(youngest - ((row * 37) % 365) * DAY).toISOString().slice(0, 10)
}

/** The name of a class of about 30 pupils, filled in the order of the rows. The sizes differ by one at most. */
function className(school: string, at: number, total: number): string {
  const classes = Math.max(1, Math.round(total / CLASS_SIZE))
  return `${school} ${String(Math.floor((at * classes) / total) + 1).padStart(2, '0')}`
}

/** The pupils of the data set, with invented names, dates of birth, numbers and classes, which it does not have. */
export function readRealPupils(): RealPupil[] {
  const sheet = readCsv(readFileSync(csvPath()))
  const columns = findColumns(sheet, COLUMNS)
  const cell = ({ cells }: SheetRow, column: (typeof COLUMNS)[number]) => cells[columns.get(column) as number] as string
  const bySchool = groupedBy(sheet.rows, (row) => cell(row, 'school'))
  return [...bySchool].flatMap(([school, rows]) =>
    rows.map((row, at): RealPupil => {
      const gender = cell(row, 'gender') === 'F' ? 'female' : 'male'
      const number = Number(cell(row, 'row'))
      return {
        number: `${school}-${String(number).padStart(3, '0')}`,
        ...nameOf(number, gender),
        gender,
        birthDate: birthDate(Number(cell(row, 'age')), number),
        className: className(school, at, rows.length),
        marks: [Number(cell(row, 'first_period')), Number(cell(row, 'second_period')), Number(cell(row, 'final'))],
      }
    }),
  )
}
/** First names of many languages, whose letters a school needs. The numbers of names have no common divisor. */
const FIRST_NAMES: Readonly<Record<Gender, string>> = {
  female:
    'Aoife,Zoë,Łucja,Inês,Chloé,Şeyma,Þóra,Noémie,Ngọc,Søs,María José,Élodie,Jadranka,Ọlá,Siân,Françoise,Žofia,Ásta,Conceição,Dörte,Ilinca,Nuria,Zuzana,Márta,Ìyábọ̀,Ella,Mei,Fatima,Ama',
  male: 'Seán,Łukasz,João,Þór,Đorđe,Élan,Jürgen,Çınar,Søren,Nuno,Björn,Ștefan,Žiga,Kwabená,Óscar,Bảo,Cináed,Miloš,Tadhg,Çağlar,Rhŷs,Ødger,Luís,François,Émile,Ben,Li,Omar,Kofi,Andrė,Ivo',
}

const LAST_NAMES =
  'Breathnach,Conceição,Łoś,Müller,Nguyễn,Şahin,Hafstað,Adéwálé,Núñez,Lefèvre,Brânză,Dvořák,Østergård,D’Angelo,Smith-Jones,de Búrca,Vũ,Çelik,Žižka,Kovačević,Hernández,Åkesson,Weiß,Céitinn,Ðorđević,Gonçalves,Ŵyn,Erdoğan,Þórarensen,Bjørnstad,Fernández y Peña,Ibáñez,Kõiv,Ozoliņš,Żak,Mensah,Silva,van den Berg,O’Neill,Bălan,Ekström,Yılmaz,Quaye'

const pick = (list: readonly string[], at: number): string => list[at % list.length] as string

/** The name for a row, the same in every run. Two rows of one gender with the same name are at least 1,247 rows apart. */
const nameOf = (row: number, gender: Gender): { firstName: string; lastName: string } => ({
  firstName: pick(FIRST_NAMES[gender].split(','), row * 7),
  lastName: pick(LAST_NAMES.split(','), row * 5),
})
