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

/** `limits.sync.backOff` under the names of the protocol. */
export function protocolBackOff() {
  const { firstMs, maxMs, maxUnsentMs, afterWriteMs } = limits.sync.backOff
  return { first: firstMs, most: maxMs, unsent: maxUnsentMs, hurry: afterWriteMs }
}

/** The limits under the names of the protocol. Times in ms, except `wait`, which is in seconds. */
export function protocolLimits() {
  const {
    pageRows,
    copyPageMarks,
    pageBytes,
    pageHistoryEntries,
    pageChangesLength,
    message,
    longPollSeconds,
    timeout,
    heldRows,
    refused,
    counterLead,
  } = limits.sync
  const { invitation, tombstones, files } = limits.sync
  return {
    protocol: { spoken: PROTOCOL, oldest: OLDEST_PROTOCOL },
    page: { rows: pageRows, marks_of_a_copy: copyPageMarks, bytes: pageBytes, history: pageHistoryEntries, changes: pageChangesLength },
    bodies: { least: message.minimalBytes, small: message.smallBytes, list: message.listBytes, reply: message.replyBytes },
    challenge: message.challengeAgeMs,
    wait: longPollSeconds,
    back_off: protocolBackOff(),
    patience: { short: timeout.shortMs, news: timeout.longPollMs, page: timeout.pageMs },
    held: heldRows,
    refused: { most: refused.writes, value: refused.valueLength },
    claims: counterLead,
    invitation: { life: invitation.lifetimeMs, open: invitation.open },
    tombstones: { age: tombstones.ageMs, silence: tombstones.silentChildMs },
    files: { batch: files.perQuery, at_once: files.concurrent, on_a_stick: files.stickBytes, ticket: limits.resumable.lifetimeMs },
  }
}

/** Every replicated table, parents first, with its description in the terms of `shared/tables/describe.ts`. */
export const tables = () => ({
  schema: SCHEMA_VERSION,
  tables: (Object.keys(descriptions) as Replicated[]).map((table) => {
    const { scope, identity, natural, notOnLaptops, units, near, sealed, derived, cascade, notDeletedAlone, unchanged } =
      descriptions[table]
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
      ...(notDeletedAlone?.({}) && { not_deleted_alone: true }),
      ...(unchanged && { unchanged }),
      ...(derived && { derived }),
      ...(cascade && { cascade }),
    }
  }),
})

function unitShown(table: Replicated, unit: string, columns: readonly string[]) {
  return { columns, rule: ruleOf(table, unit), ...(unit in highsOf(table, {}) && { remembers_highest: true }) }
}
