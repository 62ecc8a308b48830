import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import '@markbook/shared/contract/contract'
import '@markbook/shared/contract/desktop'
import { HistoryEntity } from '@markbook/shared/contract/history'
import { jobReasons } from '@markbook/shared/contract/jobs'
import { documentLanguages } from '@markbook/shared/domain/document-language'
import { isTechnical } from '@markbook/shared/domain/technical-columns'
import { declaredFailures } from '@markbook/shared/failures'
import { descriptions } from '@markbook/shared/tables/tables'
import { unbroken } from '@markbook/shared/unbroken'
import { describe, expect, test } from 'vitest'
import { isFirst } from './plugin.ts'
import { wordsAlone } from './words-alone.ts'

type Words = { [key: string]: string | Words }

const folder = import.meta.dirname
const shared = join(folder, '../../../shared/words')
const languages = readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
const wordsOf = (language: string) => wordsIn([folder, shared], language)
const wordsIn = (folders: readonly string[], language: string): Map<string, string> =>
  new Map(
    folders.flatMap((words) =>
      readdirSync(join(words, language)).flatMap((file) => {
        const area = file.replace(/\.json$/, '')
        return flat(JSON.parse(readFileSync(join(words, language, file), 'utf8')) as Words, area)
      }),
    ),
  )
const flat = (words: Words, path: string): [string, string][] =>
  Object.entries(words).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' ? [[`${path}.${key}`, value]] : flat(value, `${path}.${key}`),
  )
const placeholders = (sentence: string) => [...sentence.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name).sort()
/** Languages have different plural forms; the sentences of `failures` are the server's in English. */
const bare = (key: string) => key.replace(/_(zero|one|two|few|many|other)$/, '')

/** Codes that no action of the app causes, and one whose sentence comes from another server. */
const FOR_PROGRAMS = new Set(
  'malformed_id,invalid_json,too_deep,unsupported_version,foreign_origin,metrics_closed,no_such_path,method_not_allowed,wrong_type,misdirected_request,schools.foreign_request,subjects.incomplete_order,sync.not_let_in'.split(
    ',',
  ),
)

/** Failures of the app itself. */
const OF_THE_APP = [
  'unknown',
  'unreachable',
  'unreadable_reply',
  'passkeys_not_used',
  'assessments_marked_meanwhile',
  'undo_filled',
  'reports_unsaved',
]

const english = wordsOf('en')

test('in French no line breaks before a sign that has a space before it, or inside quotation marks', () => {
  expect(unbroken('"Voulez-vous « Quitter » ? Oui ; 60 % : non !"')).toBe(
    '"Voulez-vous «\u00a0Quitter\u00a0»\u00a0? Oui\u00a0; 60\u00a0%\u00a0: non\u00a0!"',
  )
  expect(unbroken('{ "a": "b" }')).toBe('{ "a": "b" }')
})

test('in French a term is a «période»: a school may have semesters', () => {
  const named = [...wordsOf('fr')].flatMap(([key, sentence]) => (/trimestr|semestr/i.test(sentence) ? [key] : []))
  // Names that are proposed for terms, and the terms that the contract knows by name.
  expect(named.sort()).toEqual(['documents.period.known', 'years.sets.semesters', 'years.sets.terms', 'years.termNameHint'])
})

test('there are English and two more languages, one of them right to left', () => {
  expect(languages).toEqual(expect.arrayContaining(['ar', 'en', 'fr']))
})

test('documents can be printed in each language of the app', () => {
  expect([...documentLanguages].sort()).toEqual(languages)
})

test.each(languages)('no sentence of the app in %s stands for two things of one area', (language) => {
  const keyOf = new Map<string, string>()
  for (const [key, sentence] of wordsIn([folder], language)) {
    const inArea = `${key.split('.')[0]}: ${sentence}`
    if (sentence.length > 60) expect(keyOf.get(inArea) ?? bare(key), key).toBe(bare(key))
    keyOf.set(inArea, bare(key))
  }
})

describe.each(languages.filter((language) => language !== 'en'))('the catalogue in %s', (language) => {
  const own = wordsOf(language)

  test('has the keys of English, and no others', () => {
    const keys = (words: ReadonlyMap<string, string>) =>
      [...new Set([...words.keys()].map(bare))].filter((key) => !key.startsWith('failures.')).sort()
    expect(keys(own)).toEqual(keys(english))
  })

  test('has no empty sentence, and the placeholders of English', () => {
    const counted = new Map([...english].map(([key, sentence]) => [bare(key), sentence]))
    for (const [key, sentence] of own) {
      expect(sentence.trim(), key).not.toBe('')
      const original = english.get(key) ?? counted.get(bare(key))
      // The forms for none, one and two may leave out the number.
      if (original && !/_(zero|one|two)$/.test(key)) expect(placeholders(sentence), key).toEqual(placeholders(original))
    }
  })

  test('has a sentence for every refusal except those for programs, and no other', () => {
    const codes = [...declaredFailures.keys(), ...Object.values(jobReasons).map(({ code }) => code)]
    const said = codes.filter((code) => !FOR_PROGRAMS.has(code)).map((code) => code.replaceAll('.', '_'))
    expect(said.length).toBeGreaterThan(100)
    expect(said.filter((key) => !own.has(`failures.${key}`))).toEqual([])
    // The sentence of an issue has the code of the issue after that of the failure.
    const isSaid = (key: string) => [...said, ...OF_THE_APP].some((code) => `${key}_`.startsWith(`failures.${code}_`))
    expect([...own.keys()].filter((key) => key.startsWith('failures.') && !isSaid(key))).toEqual([])
  })

  test('uses the form for one also for none, where the language does', () => {
    const isOfNone = new Intl.PluralRules(language).select(0) === 'one'
    const fixed = [...own].filter(
      ([key, sentence]) => isOfNone && key.endsWith('_one') && /(^|[^\p{L}\p{N}])1($|[^\p{L}\p{N}])/u.test(sentence),
    )
    expect(fixed.map(([key, sentence]) => `${key}: ${sentence}`).filter((line) => !own.has(line.replace(/_one: .*$/s, '_zero')))).toEqual(
      [],
    )
  })

  test('has every plural form of the language', () => {
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories
    const counted = new Set([...english.keys()].filter((key) => key.endsWith('_other')).map(bare))
    const missing = [...counted].flatMap((key) =>
      forms.filter((form) => !own.has(`${key}_${form}`) && !own.has(`${key}_other`)).map((form) => `${key}_${form}`),
    )
    expect(missing).toEqual([])
  })
})

describe('where no centre gets the report books that are sent', () => {
  /** They are shown where there is a centre or another school, or speak of something else. */
  const OTHERS = /^(reports\.(paper\.(away|notYet)\.|sendBack\.)|overview\.(totals\.outOf|remind\.noMail)$|students\.numberHint$)/

  test('every sentence about sending them has words of its own', () => {
    const areas = /^(failures|home|overview|reports|students)\./
    const aboutSending = [...english].filter(
      ([key, sentence]) =>
        areas.test(key) && !OTHERS.test(key) && !key.includes('_alone') && /ministry|\bsen[dt]\b(?! back)/i.test(sentence),
    )
    expect(aboutSending.length).toBeGreaterThan(40)
    const ownKey = (key: string) => key.replace(/(_(one|other|zero))?$/, '_alone$1')
    expect(aboutSending.map(([key]) => key).filter((key) => !english.has(ownKey(key)))).toEqual([])
  })

  test.each(languages)('in %s these words say nothing of it, and take the place of others', (language) => {
    const own = wordsOf(language)
    const alone = [...own].filter(([key]) => key.includes('_alone'))
    expect(alone.map(([key]) => key).filter((key) => !own.has(key.replace('_alone', '')))).toEqual([])
    expect(alone.filter(([, sentence]) => /ministry|\bsent\b|ministère|envoy|الوزارة|أُرسل/i.test(sentence))).toEqual([])
  })

  test('a sentence with the ending takes the place of the one without it, in each plural form', () => {
    expect(wordsAlone({ a: '1', a_alone: '2', b: { c_one: '3', c_alone_one: '4' }, d: '5' })).toEqual({
      a: '2',
      a_alone: '2',
      b: { c_one: '4', c_alone_one: '4' },
      d: '5',
    })
  })
})

test('what stands for address and code in a command keeps their order in Arabic', () => {
  const own = wordsOf('ar')
  // Without an isolate each, two Arabic words in a row change places in a command that is read from the left.
  for (const word of ['address', 'code']) expect(own.get(`sync.inviteWords.${word}`)).toMatch(/^\u2068<[^<>]+>\u2069$/)
})

test('every table that replicates has a name', () => {
  const { entity } = JSON.parse(readFileSync(join(shared, 'en', 'records.json'), 'utf8')) as { entity: Words }
  expect(Object.keys(descriptions).filter((table) => !Object.hasOwn(entity, table))).toEqual([])
})

test('every column that is shown in the history has a name', () => {
  const named = new Set(Object.keys(JSON.parse(readFileSync(join(shared, 'en', 'columns.json'), 'utf8')) as Words))
  const entities = HistoryEntity.options.map((entity) => descriptions[entity])
  const columns = new Set(
    entities.flatMap(({ identity, units, derived }) => [...identity, ...Object.values(units).flat(), ...(derived ?? [])]),
  )
  expect([...columns].filter((column) => !isTechnical(column) && !named.has(column))).toEqual([])
})

// French has a space before it, so a name with its colon is the text `app:label`.
test('no page writes a colon after a name itself', () => {
  const pages = join(folder, '../pages')
  const lines = readdirSync(pages, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?<!\.test)\.tsx?$/.test(file))
    .flatMap((file) =>
      readFileSync(join(pages, file), 'utf8')
        .split('\n')
        .map((line) => `${file}: ${line.trim()}`),
    )
  expect(lines.length).toBeGreaterThan(10_000)
  expect(lines.filter((line) => /\}: (?:\$\{|`|<)|`: \$\{/.test(line))).toEqual([])
})

describe('the words of the pages before the sign-in', () => {
  /** These files of the app, with all that they import at once. */
  const withImports = (paths: string[]): Map<string, string> => {
    const sources = new Map<string, string>()
    for (let path = paths.pop(); path; path = paths.pop()) {
      if (sources.has(path)) continue
      const source = readFileSync(path, 'utf8')
      sources.set(path, source)
      for (const [, name = ''] of source.matchAll(/^import .*from '(\.[^']+\.tsx?)'$/gm)) paths.push(join(dirname(path), name))
    }
    return sources
  }
  const ui = join(folder, '..')
  const pages = ['prerender/hydrate.tsx', 'pages/sign-in/sign-in-page.tsx', 'frame/error-page.tsx']

  test.each(['app', 'sign-in'])('those of %s are in the first file', (area) => {
    const words = JSON.parse(readFileSync(join(folder, 'en', `${area}.json`), 'utf8')) as Words
    const later = Object.keys(words).filter((key) => !isFirst(area, key))
    expect(later.length).toBeGreaterThan(5)
    const isSaid = (key: string) => new RegExp(typeof words[key] === 'string' ? `\\bt\\('${key}'` : `['"\`:]${key}\\.`)
    const said = [...withImports(pages.map((path) => join(ui, path)))].flatMap(([path, source]) =>
      later.filter((key) => isSaid(key).test(source)).map((key) => `${path}: ${key}`),
    )
    expect(said).toEqual([])
  })

  test('what a sign-in or any request can be refused with is in the first file, whatever else is in the second', () => {
    const first = [...declaredFailures.keys()].filter((code) => isFirst('failures', code.replaceAll('.', '_')))
    const expected = [...declaredFailures.keys()].filter((code) => !code.includes('.') || /^(auth|passkeys)\./.test(code))
    expect(first.sort()).toEqual(expected.sort())
  })
})
