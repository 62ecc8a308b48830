import { domainToASCII } from 'node:url'
import { common } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'

/** What a mail header could not carry plainly, or an eye could not see. */
const LOCAL = /^[^\s<>()[\]\\,;:"@\p{Cc}\p{Cf}\p{Cs}]+$/u
/** Checked before the domain is read as a host name, where these would mean something else. */
const DOMAIN = /^[^\s%/?#:@<>[\]\\\p{Cc}]+$/u
const HOST = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * The normal form of an address, under which there is one account (decisions §3): trimmed, NFC, lower case, its domain in
 * punycode, at most 254 characters. Throws `validation_failed` for what no mail can be sent to.
 */
export function normalEmail(typed: string): string {
  const [local = '', domain = '', ...rest] = typed.trim().normalize('NFC').toLowerCase().normalize('NFC').split('@')
  const host = DOMAIN.test(domain) ? domainToASCII(domain) : ''
  const email = `${local}@${host}`
  if (rest.length === 0 && LOCAL.test(local) && HOST.test(host) && email.length <= limits.text.email) return email
  throw common.validationFailed({ issues: [{ path: 'email', message: 'must be an address that mail can be sent to' }] })
}
