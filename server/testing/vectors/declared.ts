import { common, type FailureFactory } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { kindsOf } from '@markbook/shared/tables/kinds'
import { SCHEMA_VERSION } from '@markbook/shared/tables/schema-version'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { highsOf, ruleOf } from '@markbook/sync/merge/policy'
import { OLDEST_PROTOCOL, PROTOCOL } from '@markbook/sync/protocol/messages'
import { travelling } from '@markbook/sync/protocol/page'
import { fileFailures } from '../../replication/files/named.ts'
import { syncFailures } from '../../replication/identity/enrolment.ts'

const shown = (factory: FailureFactory) => {
  const { status, code, message } = factory()
  return { status, code, message }
}

/** Every refusal that a node may send to another, by code. */
export const errors = () =>
  [...Object.values(syncFailures), ...Object.values(fileFailures), common.wrongType, common.foreignOrigin, common.validationFailed].map(
    shown,
  )

/** Times in ms, except `wait`, which is in seconds. */
export function protocolLimits() {
  const { pageRows, copyMarks, pageBytes, pageHistory, pageChanges, door, wait, backOff, patience, held, refused, claims } = limits.sync
  const { invitation, tombstones, files } = limits.sync
  return {
    protocol: { spoken: PROTOCOL, oldest: OLDEST_PROTOCOL },
    page: { rows: pageRows, marks_of_a_copy: copyMarks, bytes: pageBytes, history: pageHistory, changes: pageChanges },
    bodies: { least: door.least, small: door.small, list: door.list, reply: door.reply },
    challenge: door.challenge,
    wait,
    back_off: backOff,
    patience,
    held,
    refused,
    claims,
    invitation,
    tombstones: { age: tombstones.age, silence: tombstones.silence },
    files: { batch: files.batch, at_once: files.atOnce, on_a_stick: files.bundle, ticket: limits.resumable.life },
  }
}

/** Every replicated table, parents first, with its description in the terms of `shared/tables/describe.ts`. */
export const tables = () => ({
  schema: SCHEMA_VERSION,
  tables: (Object.keys(descriptions) as Replicated[]).map((table) => {
    const { scope, identity, natural, notOnLaptops, units, near, sealed, derived, cascade } = descriptions[table]
    return {
      table,
      scope,
      identity,
      ...(natural && { natural }),
      units: Object.fromEntries(Object.entries(units).map(([unit, columns]) => [unit, unitShown(table, unit, columns)])),
      kinds: Object.fromEntries(travelling(table).map((column) => [column, kindsOf[table][column]])),
      ...(near && { near }),
      ...(sealed && { sealed }),
      ...(notOnLaptops && { not_on_laptops: true }),
      ...(derived && { derived }),
      ...(cascade && { cascade }),
    }
  }),
})

function unitShown(table: Replicated, unit: string, columns: readonly string[]) {
  return { columns, rule: ruleOf(table, unit), ...(unit in highsOf(table, {}) && { remembers_highest: true }) }
}
