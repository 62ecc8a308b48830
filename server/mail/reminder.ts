import { fullName } from '@markbook/shared/domain/full-name'
import { isKnownTerm, type KnownTerm } from '@markbook/shared/domain/term-names'
import type { Missing } from '@markbook/shared/domain/term-progress'
import { limits } from '@markbook/shared/limits'
import type { MailMessage } from './mailer.ts'

/**
 * `by` reminds somebody in `school` of what is `missing` in a term, or in its year; `site` is the address of the service, null where others
 * cannot open it.
 */
export type ReminderText = {
  language: string | undefined
  school: string
  by: { first_name: string | null; last_name: string | null }
  period: { term: string; year: string; isTerm: boolean }
  missing: readonly Missing[]
  site: string | null
}

/** The mail that tells somebody what they have yet to do for a term. Names of the school stand in the text only: a subject is one short line. */
export function reminderMessage({ language, school, by, period, missing, site }: ReminderText): Pick<MailMessage, 'subject' | 'text'> {
  const words = Object.entries(WORDS).find(([own]) => own === language)?.[1] ?? WORDS.en
  const name = fullName(by) || words.somebody
  const lines = missing.slice(0, limits.reminders.linesPerMail).map((each) => words.line(each))
  const more = missing.length - lines.length
  return {
    subject: words.subject,
    text: `${words.opening(name, periodIn(words, period), school)}

${[...lines, ...(more > 0 ? [words.more(more)] : [])].map((line) => `- ${line}`).join('\n')}

${site === null ? words.here : `${words.page}\n\n${site}`}

${words.closing}
`,
  }
}

type Words = {
  subject: string
  somebody: string
  opening: (name: string, period: string, school: string) => string
  line: (missing: Missing) => string
  more: (count: number) => string
  here: string
  page: string
  closing: string
  terms: Record<KnownTerm, string>
  /** Between a school's own name of a term, which may end in a number, and the year. */
  comma: string
  ofYear: (year: string) => string
}

/** A school's own word says by itself what it is. */
const periodIn = (words: Words, { term, year, isTerm }: ReminderText['period']): string =>
  isTerm ? (isKnownTerm(term) ? `${words.terms[term]} ${year}` : `${term}${words.comma} ${year}`) : words.ofYear(year)

/** A count with its form for one, and for any other number. */
const formOf =
  (isOne: (count: number) => boolean) =>
  ({ count }: { count: number }, one: string, more: string) =>
    isOne(count) ? one : more

const inEnglish = formOf((count) => count === 1)
const inFrench = formOf((count) => count < 2)

const WORDS: Record<'en' | 'fr' | 'ar', Words> = {
  en: {
    subject: 'What is still missing in Markbook',
    somebody: 'An administrator',
    opening: (name, period, school) => `${name} reminds you of what is still missing\nfor ${period} at ${school}:`,
    line: (missing) => {
      const group = missing.class.name
      if (missing.kind === 'assessment') return `${group}, ${missing.subject.name}: no assessment yet`
      const part = `${missing.count} of ${missing.of}`
      if (missing.kind === 'marks')
        return `${group}, ${missing.subject.name}: ${part} marks ${inEnglish(missing, 'is missing', 'are missing')}`
      const said = {
        books: inEnglish(missing, 'is not made', 'are not made'),
        outdated: inEnglish(missing, 'is older than its marks', 'are older than their marks'),
        remarks: `${inEnglish(missing, 'has', 'have')} no remark of the class teacher`,
        sent_back: inEnglish(missing, 'was sent back and not changed since', 'were sent back and not changed since'),
      }
      return `${group}: ${part} report books ${said[missing.kind]}`
    },
    more: (count) => `and ${count} more`,
    here: 'Open Markbook at the school to complete it.',
    page: 'Open this page to complete it:',
    closing: 'Have you done it already?\nThen there is nothing you need to do.',
    terms: { michaelmas: 'Michaelmas term', hilary: 'Hilary term', trinity: 'Trinity term' },
    comma: ',',
    ofYear: (year) => `the year ${year}`,
  },
  fr: {
    subject: 'Ce qui manque encore dans Markbook',
    somebody: 'Un administrateur',
    opening: (name, period, school) => `${name} vous rappelle ce qui manque encore\npour ${period}, ${school} :`,
    line: (missing) => {
      const group = missing.class.name
      if (missing.kind === 'assessment') return `${group}, ${missing.subject.name} : pas encore d’évaluation`
      const { count, of } = missing
      if (missing.kind === 'marks')
        return `${group}, ${missing.subject.name} : ${count} ${inFrench(missing, 'note', 'notes')} sur ${of} ${inFrench(missing, 'manque', 'manquent')}`
      const said = {
        books: inFrench(missing, 'n’est pas fait', 'ne sont pas faits'),
        outdated: inFrench(missing, 'est plus ancien que ses notes', 'sont plus anciens que leurs notes'),
        remarks: `${inFrench(missing, 'n’a', 'n’ont')} pas d’appréciation du professeur principal`,
        sent_back: inFrench(missing, 'a été renvoyé et n’a pas été modifié depuis', 'ont été renvoyés et n’ont pas été modifiés depuis'),
      }
      return `${group} : ${count} ${inFrench(missing, 'bulletin', 'bulletins')} sur ${of} ${said[missing.kind]}`
    },
    more: (count) => `et ${count} de plus`,
    here: 'Ouvrez Markbook à l’école pour compléter.',
    page: 'Ouvrez cette page pour compléter :',
    closing: 'C’est déjà fait ?\nAlors vous n’avez rien à faire.',
    terms: { michaelmas: 'le trimestre Michaelmas', hilary: 'le trimestre Hilary', trinity: 'le trimestre Trinity' },
    comma: ',',
    ofYear: (year) => `l’année ${year}`,
  },
  ar: {
    subject: 'ما لا يزال ناقصًا في Markbook',
    somebody: 'أحد مسؤولي المدرسة',
    opening: (name, period, school) => `تذكير من ${name} بما لا يزال ناقصًا\nفي ${period}، ${school}:`,
    // After the colon the count needs no form of its own.
    line: (missing) => {
      const group = missing.class.name
      if (missing.kind === 'assessment') return `${group}، ${missing.subject.name}: لا تقييم بعد`
      const part = `${missing.count} من ${missing.of}`
      if (missing.kind === 'marks') return `${group}، ${missing.subject.name}: علامات ناقصة: ${part}`
      const said = {
        books: 'دفاتر لم تُعدّ',
        outdated: 'دفاتر أقدم من علاماتها',
        remarks: 'دفاتر بلا ملاحظة معلّم الصف',
        sent_back: 'دفاتر أُعيدت ولم تُعدّل بعد ذلك',
      }
      return `${group}: ${said[missing.kind]}: ${part}`
    },
    more: (count) => `وغير ذلك: ${count}`,
    here: 'افتح Markbook في المدرسة لإتمام ذلك.',
    page: 'افتح هذه الصفحة لإتمام ذلك:',
    closing: 'أتممت ذلك في هذه الأثناء؟\nفلا شيء عليك.',
    terms: { michaelmas: 'فصل ميكلماس', hilary: 'فصل هيلاري', trinity: 'فصل ترينيتي' },
    comma: '،',
    ofYear: (year) => `سنة ${year}`,
  },
}
