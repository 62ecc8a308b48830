import type { DemoAccount } from '@markbook/shared/contract/demo'
import { people } from '@markbook/shared/story/people'

const accountOf = ({ email, first_name, last_name }: (typeof people)['okafor'], who: DemoAccount['who']): DemoAccount => ({
  email,
  first_name: first_name ?? '',
  last_name: last_name ?? '',
  who,
})

/** Three people of the story with different roles. */
export const DEMO_ACCOUNTS: readonly DemoAccount[] = [
  accountOf(people.okafor, 'head'),
  accountOf(people.byrne, 'class_teacher'),
  accountOf(people.ada, 'subject_teacher'),
]
