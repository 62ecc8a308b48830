import { limits } from '@markbook/shared/limits'

/** What the link of an invitation says (server/features/schools/invitations.handlers.ts). Links of older servers name no school. */
export type Invited = { email: string; code: string | null; school: string | null; by: string | null }

/** A given and a family name with the space between them. */
const MAX_PERSON = 2 * limits.text.name + 1

/**
 * Reads the fragment of the page's address; null without an address to mail to. Anybody can write such a link: what is longer than a name, has
 * lines or leads to a page is left out. A short sentence cannot be told from a name.
 */
export function invitedBy(fragment: string): Invited | null {
  const said = new URLSearchParams(fragment.replace(/^#/, ''))
  const nameIn = (key: string, max: number) => {
    const name = said.get(key)
    return name && name.length <= max && !/[\p{Cc}\p{Zl}\p{Zp}]|https?:|www\./iu.test(name) ? name : null
  }
  const email = said.get('email')
  if (!email || email.length > limits.text.email) return null
  return { email, code: said.get('code'), school: nameIn('school', limits.text.name), by: nameIn('by', MAX_PERSON) }
}
