import type { DocumentLanguage } from '@markbook/shared/domain/document-language'
import { defaultGradingScale, type GradingScale } from '@markbook/shared/domain/letters'
import { type MarkCode, standardMarkCodes } from '@markbook/shared/domain/mark-codes'
import { isKnownTerm } from '@markbook/shared/domain/term-names'
import { oneFullStop } from '@markbook/shared/one-full-stop'
import { unbroken } from '@markbook/shared/unbroken'
import ar from '@markbook/shared/words/ar/documents.json' with { type: 'json' }
import en from '@markbook/shared/words/en/documents.json' with { type: 'json' }
import fr from '@markbook/shared/words/fr/documents.json' with { type: 'json' }
import { hasArabic, isolated, joined, rightToLeftSentence, withoutControls } from './drawing/bidi.ts'

/* The words of printed documents in the document's language (docs/design/reports.md). Texts of the school are not translated. */

type Plural = 'zero' | 'one' | 'two' | 'few' | 'many' | 'other'
type Bare<Key extends string> = Key extends `${infer Name}_${Plural}` ? Name : Key
type KeyOf<Group> = {
  [Key in keyof Group & string]: Group[Key] extends string ? Bare<Key> : `${Key}.${KeyOf<Group[Key]>}`
}[keyof Group & string]
export type WordKey = KeyOf<typeof en>
type Values = Readonly<Record<string, string | number>>

export type Words = ReturnType<typeof wordsIn>

type Group = { readonly [key: string]: string | Group }
const flat = (group: Group, path = ''): [string, string][] =>
  Object.entries(group).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' ? [[path + key, value]] : flat(value, `${path}${key}.`),
  )
const catalogues: Record<DocumentLanguage, Group> = { en, fr, ar }
/** In French, no line may break at certain spaces. */
const catalogueOf = (language: DocumentLanguage, isUnmarked: boolean): ReadonlyMap<string, string> =>
  new Map(flat(catalogues[language]).map(([key, sentence]) => [key, language === 'fr' && !isUnmarked ? unbroken(sentence) : sentence]))
/** The region determines the order of a date: 4 March 2011. */
const locales: Record<DocumentLanguage, string> = { en: 'en-GB', fr: 'fr', ar: 'ar' }

/** The standard remarks and code names, which a school may replace, by letter and by code. */
const standardRemarks = new Map(defaultGradingScale.bands.map(({ letter, remark }) => [letter, remark]))
const standardNames = new Map(standardMarkCodes.map(({ code, name }) => [code, name]))

/** The sentences of a catalogue with their values filled in; sentences with a number use the language's plural forms. */
function sentencesIn(language: DocumentLanguage, isUnmarked: boolean) {
  const catalogue = catalogueOf(language, isUnmarked)
  const isRightToLeft = language === 'ar'
  const counts = new Intl.PluralRules(locales[language])
  const ordinals = new Intl.PluralRules(locales[language], { type: 'ordinal' })

  function sentence(key: string, values: Values): string {
    const found = catalogue.get(key)
    if (found === undefined) throw new Error(`documents.json has no word ${key} in ${language}`)
    const put = (value: string | number | undefined) => (isRightToLeft ? isolated(String(value)) : String(value))
    const told = oneFullStop(found.replace(/\{\{(\w+)\}\}/g, (_, name: string) => put(values[name])))
    if (!isRightToLeft) return told
    return isUnmarked ? withoutControls(told) : rightToLeftSentence(told)
  }
  const numbered = (key: WordKey, count: number, rules: Intl.PluralRules): string => {
    const form = `${key}_${rules.select(count)}`
    return sentence(catalogue.has(form) ? form : `${key}_other`, { count })
  }
  return {
    isRightToLeft,
    say: (key: WordKey, values: Values = {}): string => sentence(key, values),
    /** The sentence with `{{count}}`. */
    counted: (key: WordKey, count: number): string => numbered(key, count, counts),
    /** 1st, 2nd, 3rd, 4th, 11th. */
    ordinal: (place: number): string => numbered('ordinal', place, ordinals),
    joined: (parts: readonly string[]): string => joined(parts, isRightToLeft),
  }
}

/** Digits are 0 to 9 in every language, as in the app. */
const FIGURES = { numberingSystem: 'latn' }

function formatsIn(locale: string) {
  const days = new Intl.DateTimeFormat(locale, { ...FIGURES, day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
  const parts = new Intl.NumberFormat(locale, FIGURES).formatToParts(1.5)
  const decimal = parts.find(({ type }) => type === 'decimal')?.value ?? '.'
  return {
    decimal,
    /** «2011-03-04» as «4 March 2011». */
    day: (value: string): string => days.format(new Date(`${value.slice(0, 10)}T00:00:00Z`)),
    /** A weight, or a percentage that needs no decimals: «40», «12.5». */
    plain: (figure: number): string => String(Number(figure.toFixed(2))).replace('.', decimal),
    /** Averages, totals and weights have at most two decimals; figures show both (decisions §5). */
    figure: (figure: number | null): string => (figure === null ? '–' : figure.toFixed(2).replace('.', decimal)),
  }
}

function wordsIn(language: DocumentLanguage, isUnmarked: boolean) {
  const sentences = sentencesIn(language, isUnmarked)
  const { say, ordinal, isRightToLeft } = sentences
  const formats = formatsIn(locales[language])
  const term = (name: string): string => (isKnownTerm(name) ? say(`term.${name}`) : name)
  // French writes only the first day of a month as an ordinal.
  const day = (value: string): string => (language === 'fr' ? formats.day(value).replace(/^1(?= )/, ordinal(1)) : formats.day(value))
  return {
    ...sentences,
    ...formats,
    locale: locales[language],
    /** The separator of CSV cells that spreadsheets in the language expect. */
    separator: language === 'en' ? (',' as const) : (';' as const),
    percent: (figure: number): string => say('percent', { figure: formats.plain(figure) }),
    day,
    /** The day of an instant in the time zone of this machine: in UTC a paper of the evening or the morning had another day. */
    dayOf(ms: number): string {
      const at = new Date(ms)
      return day(new Date(Date.UTC(at.getFullYear(), at.getMonth(), at.getDate())).toISOString())
    },
    term,
    /** «Michaelmas term 2025/26», «Semester 1, 2025/26», «Year 2025/26». A school's own word is printed without «term». */
    period({ term: name, year }: { term: string; year: string }, isTerm: boolean): string {
      if (!isTerm) return say('period.year', { year })
      return say(isKnownTerm(name) ? 'period.known' : 'period.own', { term: term(name), year })
    },
    /** A name as in a list, last name first. */
    listed: ({ last_name: last, first_name: first }: { last_name: string; first_name: string }): string =>
      isRightToLeft && hasArabic(last) ? say('broadsheet.pupilName', { last, first }) : `${last}, ${first}`,
    /** The page number, preceded by the history code of a broadsheet, with which `markbook audit --head` finds the state of the history. */
    foot: (page: number, pages: number, code?: string | null): string =>
      sentences.joined([...(code ? [say('history', { code })] : []), say('page', { page, pages })]),
    /** The scale with the standard remarks translated; remarks of the school stay. */
    scale: (scale: GradingScale): GradingScale => ({
      ...scale,
      bands: scale.bands.map((band) =>
        standardRemarks.get(band.letter) === band.remark ? { ...band, remark: say(`scale.${band.letter}` as WordKey) } : band,
      ),
    }),
    codeName: ({ code, name }: Pick<MarkCode, 'code' | 'name'>): string =>
      standardNames.get(code) === name ? say(`code.${code}` as WordKey) : name,
  }
}

const opened = new Map<string, Words>()

/**
 * The words of a language. `isUnmarked`: without marks of direction and no-break spaces, for text that is not drawn: cells of a
 * spreadsheet, and names of files.
 */
export function wordsOf(language: DocumentLanguage, isUnmarked = false): Words {
  const key = `${language} ${isUnmarked}`
  const known = opened.get(key) ?? wordsIn(language, isUnmarked)
  opened.set(key, known)
  return known
}

export const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
