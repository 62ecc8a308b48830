import { naturalId } from '../ids.ts'

const kinds = ['school', 'year', 'subject', 'student', 'class', 'assessment', 'request', 'category', 'set'] as const

/** Fixed ids that sort before any real one: `00000000-0000-7000-8000-<kind><school><number>`. School 1 is St Brigid's, 2 is Hilltop. */
export const storyId = (kind: (typeof kinds)[number], school: 1 | 2, number: number): string =>
  `00000000-0000-7000-8000-${String(kinds.indexOf(kind) + 1).padStart(4, '0')}${String(school).padStart(4, '0')}${String(number).padStart(4, '0')}`

export const userIdOf = (email: string): string => naturalId('user', email)
