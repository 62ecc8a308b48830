/**
 * Headers of a request of another node (SPEC, «Headers»). `peer`: its enrolment, a number of its database, or the
 * invitation that it was given. `challenge`: what a greeting is signed over. `parent`: as which number, with which key, it knows this node.
 * A reply bears `signature` too.
 */
export const headersOf = {
  protocol: 'markbook-protocol',
  peer: 'markbook-peer',
  number: 'markbook-number',
  challenge: 'markbook-challenge',
  parent: 'markbook-parent',
  signature: 'markbook-signature',
} as const

/** Which request a reply answers: who asks and the signature, as they came. Who is not known is not known under the name that was read. */
export const answering = ({ peer, signature }: { peer: string; signature: string }): string => `${peer} ${signature}`
