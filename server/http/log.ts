import { pino } from 'pino'

/** One line of JSON an event. */
export type Log = {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Standard error, so that what the program says to a person on standard output stays readable. */
export const jsonLog = (level: string): Log => pino({ level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2))

export const silentLog: Log = { info() {}, warn() {}, error() {} }
