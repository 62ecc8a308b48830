import { limits } from '@markbook/shared/limits'

/** The content of an invitation's link (server/features/schools/invitations.handlers.ts). Links of older servers have no school. */
export type Invited = { email: string; code: string | null; school: string | null; by: string | null }

/** A first and a last name, with the space between them. */
const MAX_PERSON = 2 * limits.text.name + 1

/**
 * Reads the fragment of the page's address; null where it has no e-mail address. Anybody can write such a link: texts that are longer than
 * a name, have line breaks or contain a link are left out. A short sentence cannot be told from a name.
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
