type NetworkError = Error & { code?: string; cause?: unknown }

const NO_WAY = (host: string) => `There is no way from here to ${host}. Look at the line of this machine, and at the address.`
const NOT_TRUSTED = (host: string) =>
  `${host} shows a certificate that nobody here vouches for. If it has the school’s own authority, bring the file of markbook cert export from there, and join with --authority FILE (operators’ guide, «Replication», «Join»).`

/** By the error code of the operating system, Node or OpenSSL. No request that failed with one of these has arrived. */
const sentences: Readonly<Record<string, (host: string) => string>> = {
  ECONNREFUSED: (host) => `Nothing listens at ${host}. Is the server running there, and the address right?`,
  ENOTFOUND: (host) => `No machine called ${host} can be found. Is the address right, and the line there?`,
  EAI_AGAIN: (host) => `No machine called ${host} can be found. Is the address right, and the line there?`,
  EHOSTUNREACH: NO_WAY,
  ENETUNREACH: NO_WAY,
  ETIMEDOUT: NO_WAY,
  EPROTO: (host) => `${host} does not speak https, or speaks it in another way. Its address may begin with http://`,
  SELF_SIGNED_CERT_IN_CHAIN: NOT_TRUSTED,
  DEPTH_ZERO_SELF_SIGNED_CERT: NOT_TRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: NOT_TRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: NOT_TRUSTED,
  CERT_HAS_EXPIRED: (host) => `The certificate of ${host} has ended. It is renewed there; or the clock of this machine is wrong.`,
  CERT_NOT_YET_VALID: (host) => `The certificate of ${host} begins later than now. The clock of one of the two machines is wrong.`,
  ERR_TLS_CERT_ALTNAME_INVALID: (host) =>
    `The certificate there is not for ${host}. Use the address that the other server prints at its start.`,
}

/** A sentence for a person about a request to `url` that got no reply; for an unforeseen error its own message. */
export function troubleOf(error: unknown, url: string): string {
  const {
    code = '',
    name,
    message,
    cause,
  } = error instanceof Error ? (error as NetworkError) : { name: '', message: String(error), cause: null }
  const sentence = Object.hasOwn(sentences, code) ? sentences[code] : undefined
  if (sentence) return sentence(new URL(url).host)
  // The cause of an abort says why; the error itself does not.
  return name === 'AbortError' && cause instanceof Error && cause.name !== 'AbortError' ? cause.message : message
}

/** Whether the other server may have done what was asked, although no reply came. */
export const mayHaveArrived = (error: unknown): boolean => !Object.hasOwn(sentences, (error as NetworkError | null)?.code ?? '')
