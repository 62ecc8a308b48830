/**
 * Headers of a request between nodes (SPEC, «Headers»). `peer`: the enrolment, an earlier number, or the id of an invitation. `challenge`:
 * what a greeting is signed over. `parent`: the number and the key by which the child knows the parent. A reply bears `signature` too.
 */
export const headersOf = {
  protocol: 'markbook-protocol',
  peer: 'markbook-peer',
  number: 'markbook-number',
  challenge: 'markbook-challenge',
  parent: 'markbook-parent',
  signature: 'markbook-signature',
} as const

/**
 * What the signature of a reply covers of its request: who asks, and the signature, both as they came. So a node that is told that it is
 * unknown sees under which name it was read.
 */
export const answering = ({ peer, signature }: { peer: string; signature: string }): string => `${peer} ${signature}`
