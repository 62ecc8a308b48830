import { type Logger, pino } from 'pino'

/** One line of JSON an event. */
export type Log = Pick<Logger, 'info' | 'warn' | 'error'>

/** Standard error, so that what the program says to a person on standard output stays readable. */
export const jsonLog = (level: string): Log =>
  pino({ level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2))

export const silentLog: Log = { info() {}, warn() {}, error() {} }
