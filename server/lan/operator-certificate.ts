import { readFileSync, statSync } from 'node:fs'
import { ConfigError } from '../config.ts'
import { codeOf } from '../error-code.ts'
import { expiryOf, isPair, type Pair } from './certificate.ts'

export type Files = { certFile: string; keyFile: string }

/** A certificate that the operator provides. Throws a one-line `ConfigError` where a file is missing, the two are no pair, or it has expired. */
export function readOperatorCertificate({ certFile, keyFile }: Files, now: number): Pair {
  const pair = { cert: readFrom('TLS_CERT_FILE', certFile), key: readFrom('TLS_KEY_FILE', keyFile) }
  const end = attempt(() => expiryOf(pair), `The file of TLS_CERT_FILE (${certFile}) holds no certificate in PEM.`)
  const match = attempt(() => isPair(pair), `The file of TLS_KEY_FILE (${keyFile}) holds no private key in PEM without a password.`)
  if (!match) throw new ConfigError('TLS_CERT_FILE and TLS_KEY_FILE do not belong together: the certificate was made for another key.')
  if (end <= now)
    throw new ConfigError(
      `The certificate of TLS_CERT_FILE ended on ${new Date(end).toISOString().slice(0, 10)}. Renew it where it was made; or take TLS_CERT_FILE and TLS_KEY_FILE out of the settings: with LAN=true the server makes its own, which each device must be told to trust.`,
    )
  return pair
}

/** Changes when either file does. */
export const stampOf = ({ certFile, keyFile }: Files): string => [certFile, keyFile].map(modifiedAt).join(' ')

function modifiedAt(path: string): number {
  try {
    return statSync(path).mtimeMs
  } catch {
    return 0
  }
}

function readFrom(setting: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const why = codeOf(error) === 'EACCES' ? 'may not be read by this account' : 'does not exist'
    throw new ConfigError(`The file of ${setting} (${path}) ${why}.`)
  }
}

function attempt<T>(read: () => T, failure: string): T {
  try {
    return read()
  } catch {
    throw new ConfigError(failure)
  }
}
