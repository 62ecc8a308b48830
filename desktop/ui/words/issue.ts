import i18next from 'i18next'
import { editable } from './format.ts'

/**
 * The messages of the server about a field (`shared/contract/scalars.ts` and others), and the words of the app for them. The server's are
 * in English, and begin in the middle of a sentence.
 */
const SENTENCES = [
  [/^is required$/, 'field.required'],
  [/^must not be empty$/, 'fault.empty'],
  [/^must have at most (?<most>\d+) characters$/, 'fault.long'],
  [/^must not hold line breaks/, 'fault.oneLine'],
  [/^must not hold control characters/, 'fault.signs'],
  [/^must be an email address/, 'fault.email'],
  [/^must be a whole number from (?<from>[\d.]+) to (?<to>[\d.]+)$/, 'fault.whole'],
  [/^must be a number from (?<from>[\d.]+) to (?<to>[\d.]+) with at most (?<decimals>\d+) decimals$/, 'fault.number'],
  [/^must be a number$/, 'fault.anyNumber'],
  [/^must be a day of the calendar/, 'fault.day'],
  [/^must be after the first day$/, 'fault.afterFirstDay'],
  [/^must be a code: a letter/, 'fault.code'],
  [/^must not begin with ~$/, 'fault.tilde'],
  [/^must give 100 together/, 'fault.hundred'],
  [/^must be the 8 digits of the code$/, 'fault.digits'],
] as const

/** The sentence for a message about a field in the language of the app; an unknown message is returned unchanged. */
export function fieldSentence(message: string): string {
  for (const [pattern, key] of SENTENCES) {
    const found = pattern.exec(message)
    if (!found) continue
    const values = Object.entries(found.groups ?? {}).map(([name, text]) => [name, editable(Number(text))])
    return i18next.t(key, { ns: 'app', ...Object.fromEntries(values) })
  }
  return message
}
