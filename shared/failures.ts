/** `code` and `values` are present where the app has a translated sentence; the message is in English. */
export type Issue = {
  path: string
  message: string
  code?: string | undefined
  values?: Readonly<Record<string, string | number>> | undefined
}

/** A refusal with a reason for a teacher (decisions §1). Handlers throw it; the server's one error handler turns it into the reply. */
export class Failure extends Error {
  readonly status: number
  readonly code: string
  readonly issues: Issue[] | undefined
  readonly headers: Record<string, string> | undefined

  constructor(status: number, code: string, message: string, more: { issues?: Issue[]; headers?: Record<string, string> } = {}) {
    super(message)
    this.name = 'Failure'
    this.status = status
    this.code = code
    this.issues = more.issues
    this.headers = more.headers
  }
}

type Declared = readonly [status: number, message: string]
export type FailureFactory = (more?: { message?: string; issues?: Issue[]; headers?: Record<string, string> }) => Failure

const snake = (key: string) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Every declared failure by code prefix and key, for tests that compare them with the contract. */
export const declaredFailures = new Map<string, Declared>()

/**
 * Declares the failures of one resource: `failures('terms', { duplicateName: [409, '…'] })` gives factories whose
 * `code` is `terms.duplicate_name`. An empty prefix gives bare codes (`no_school`).
 */
export function failures<T extends Record<string, Declared>>(prefix: string, list: T): { [K in keyof T]: FailureFactory } {
  const factories = {} as { [K in keyof T]: FailureFactory }
  for (const [key, declared] of Object.entries(list)) {
    const code = prefix ? `${prefix}.${snake(key)}` : snake(key)
    declaredFailures.set(code, declared)
    factories[key as keyof T] = (more) => new Failure(declared[0], code, more?.message ?? declared[1], more)
  }
  return factories
}

/** Failures that any endpoint may give. */
export const common = failures('', {
  unauthenticated: [401, 'Please sign in.'],
  validationFailed: [400, 'Some of what was sent is not right.'],
  malformedId: [400, 'One of the ids that were sent is not a valid id.'],
  invalidJson: [400, 'What was sent is not valid JSON.'],
  tooDeep: [400, 'What was sent has too many lists and objects within each other.'],
  unsupportedVersion: [400, 'This version of the interface is not supported.'],
  noSchool: [403, 'You do not belong to a school yet.'],
  inactive: [403, 'Your account is not active in this school.'],
  forbidden: [403, 'You may not do this.'],
  adminOnly: [403, 'Only an administrator of the school may do this.'],
  othersLaptop: [
    403,
    'This laptop is another person’s, and only they work on it. Sign in at your school’s server, or on a laptop of your own; what you save here would not be taken there.',
  ],
  foreignOrigin: [403, 'This page may not talk to the service.'],
  metricsClosed: [403, 'The figures are for this machine itself, and for whoever has the token of METRICS_TOKEN.'],
  notFound: [404, 'There is nothing here with that id.'],
  noSuchPath: [404, 'There is nothing at this address.'],
  methodNotAllowed: [405, 'This address does not take that kind of request.'],
  duplicate: [409, 'Somebody has just saved the same thing. Please look again.'],
  changedMeanwhile: [409, 'Somebody has changed this at the same moment. Please look again.'],
  tooLarge: [413, 'What was sent is too large.'],
  wrongType: [415, 'This needs another kind of content.'],
  misdirectedRequest: [
    421,
    'This server does not know itself by the name or address in this request. If it is right, whoever runs the server can allow it (ALLOWED_HOSTS).',
  ],
  tooManyRequests: [429, 'Too many tries. Please wait a little.'],
  busy: [503, 'The server is busy. Please try again in a moment.'],
  outcomeUnknown: [503, 'The database did not say whether this was saved. Please look before you do it again.'],
  erased: [503, 'This laptop is being erased, as its school asked. What was saved before is at the school; nothing more is saved here.'],
  storageAway: [503, 'The place where files are kept cannot be reached. Please try again in a moment.'],
  storageFull: [507, 'The disk of the server is full. Nothing was saved.'],
})
