// A laptop's copy of its school: what it stores, how it writes, and a round of replication (sync/SPEC.md, «The least client»).
import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import * as wire from './protocol.mjs'

/** Transactions in one push. */
const PAGE = 500

export class Laptop {
  /** One file has the whole state and is replaced as a whole, so that its parts always fit together. */
  constructor(folder) {
    this.file = join(folder, 'laptop.json')
    this.own = existsSync(this.file) ? JSON.parse(readFileSync(this.file, 'utf8')) : null
    mkdirSync(folder, { recursive: true })
  }

  #save() {
    const file = openSync(`${this.file}.new`, 'w', 0o600)
    writeSync(file, JSON.stringify(this.own))
    fsyncSync(file)
    closeSync(file)
    renameSync(`${this.file}.new`, this.file)
  }

  async join(address, typed, name, mayBeInsecure) {
    if (this.own?.peer) throw new Error('This folder belongs to a laptop already.')
    if (!/^(https:|http:..(127\.|localhost|\[::1))/.test(address) && !mayBeInsecure)
      throw new Error('Whoever sits on the line could read everything: use https, or add --insecure.')
    // Saved before the request: a laptop that got no reply asks again as the same node.
    this.own ??= { keys: wire.newNodeKeys(), node: randomUUID() }
    this.#save()
    const [{ keys, node }, code] = [this.own, wire.keysOfCode(typed)]
    const value = { node, kind: 'laptop', name, public_key: keys.signing.public, box_key: keys.box.public, school: null }
    const headers = { 'markbook-peer': code.invitation }
    const isAuthentic = (reply, proof) => proof === wire.proofOfJoining(reply, code)
    const joined = await wire.ask({ address, path: '/sync/join', value, number: 0, secret: code.secret, headers, isAuthentic })
    const { peer, parent, school, user } = joined
    const place = { counter: 0, head: '', sent: 0, epoch: null, schema: 0, cursor: null, scope: null, copying: null }
    this.own = { ...this.own, address, peer, parent, school, user, ...place, forms: {}, rows: {}, journal: [], refused: [] }
    this.#save()
    return joined
  }

  /** The rows of a table that are not deleted. */
  rows(table) {
    const own = Object.entries(this.own.rows).filter(([key]) => key.startsWith(`${table}/`))
    return own.map(([, state]) => state).filter(({ alive }) => alive.length > 0)
  }
  row(table, id) {
    return this.own.rows[`${table}/${id}`]
  }

  /**
   * Writes one transaction. `changes`: a list of { table, id, unit, values, near }; `values` has all columns of the unit, and the row
   * exists here.
   */
  write(changes) {
    const { own } = this
    const [now, counter] = [Date.now(), own.counter + 1]
    const entries = changes.map(({ table, id, unit, values, near = id }) => {
      const before = this.row(table, id)
      const [, , last = -1, , ...high] = before.units[unit] ?? []
      const hlc = Math.max(now, last + 1)
      own.rows[`${table}/${id}`] = {
        ...before,
        vv: { ...before.vv, [own.node]: counter },
        units: { ...before.units, [unit]: [own.node, counter, hlc, own.user, ...high] },
        alive: [[own.node, counter]],
        values: { ...before.values, ...values },
      }
      const told = { entity: table, row_id: id, near_id: near, ...changesOf(before.values, values, { unit, now, hlc, high }) }
      const by = { actor_id: own.user, node_id: own.node, node_seq: counter }
      return { id: randomUUID(), at: new Date(now).toISOString(), ...by, action: 'update', ...told, head: '', proof: null }
    })
    own.counter = counter
    own.head = wire.headAfter(own.head, entries)
    for (const entry of entries) entry.head = own.head
    entries[0].proof = wire.proofOf(own.school, entries, own.keys.signing.secret)
    own.journal.push(...entries)
    this.#save()
  }

  /** One round: pushes what was written here, then pulls what is new. Returns the number of rows that came. */
  async round() {
    const session = new wire.Session(this.own)
    const { node, cursor } = this.own
    this.#greeted(await session.hello({ node, cursor }))
    await this.#push(session)
    let came = 0
    for (let isLast = false; !isLast; ) {
      const page = await session.next('/sync/pull', { cursor: this.own.cursor, wait: 0, scope: this.own.scope })
      came += this.#take(page)
      isLast = page.is_last
    }
    return came
  }

  #greeted({ epoch, acknowledged, head, schema, below }) {
    const { own } = this
    const known = own.journal.findLast(({ node_seq }) => node_seq <= acknowledged)?.head ?? null
    if (acknowledged > own.counter || (head !== null && head !== known))
      throw new wire.Refused(null, 'This folder was put back to an earlier day, or copied. Join again in an empty one.')
    own.sent = Math.min(own.sent, acknowledged)
    const isAgain = own.epoch !== epoch || Math.min(schema, wire.SCHEMA) > own.schema
    if (isAgain) own.sent = 0
    if (isAgain || below) Object.assign(own, { cursor: null, copying: null })
    Object.assign(own, { epoch, schema: Math.min(schema, wire.SCHEMA) })
    this.#save()
  }

  async #push(session) {
    const { own } = this
    while (own.sent < own.counter) {
      const [from, to] = [own.sent, Math.min(own.counter, own.sent + PAGE)]
      const isOfPage = (counter = 0) => counter > from && counter <= to
      // A row that was written again later is sent with the page of the later write.
      const written = Object.entries(own.rows).filter(([, { vv }]) => isOfPage(vv[own.node]))
      const tables = Object.entries(own.forms).flatMap(([table, form]) => {
        const states = written.flatMap(([key, state]) => (key.startsWith(`${table}/`) ? [state] : []))
        return states.length > 0 ? [wire.writeSheet(table, form, states)] : []
      })
      const history = wire.writeHistory(own.journal.filter(({ node_seq }) => isOfPage(node_seq)))
      const { acknowledged, answers } = await session.next('/sync/push', { from, to, cursor: own.cursor, tables, history })
      for (const answer of answers) if (answer.outcome === 'refused' || answer.outcome === 'conflict') this.#giveWay(answer)
      own.sent = acknowledged
      this.#save()
    }
  }

  #giveWay({ table, id, units, code, theirs }) {
    const mine = this.row(table, id)
    const columns = units.flatMap((unit) => this.own.forms[table]?.units[unit] ?? [])
    this.own.refused.push({ table, id, units, code, values: mine && pick(mine.values, columns), at: new Date().toISOString() })
    delete this.own.rows[`${table}/${id}`]
    if (theirs) this.#put(theirs)
  }

  #put(sheet) {
    const { table, columns, units } = sheet
    this.own.forms[table] = { columns, units }
    const states = wire.readSheet(sheet)
    for (const state of states) this.own.rows[`${table}/${state.id}`] = state
    return states.map(({ id }) => `${table}/${id}`)
  }

  #take(page) {
    const { own } = this
    const isCopy = page.total !== null
    if (isCopy && (own.copying === null || own.scope !== page.scope)) own.copying = []
    // The copy is complete: rows that were not in it may not be kept any longer.
    if (!isCopy && own.copying !== null) {
      const kept = new Set(own.copying)
      for (const key of Object.keys(own.rows)) if (!kept.has(key)) delete own.rows[key]
      own.copying = null
    }
    const keys = page.tables.flatMap((sheet) => this.#put(sheet))
    own.copying?.push(...keys)
    const left = new Set(page.left ?? [])
    for (const [key, { id, values }] of Object.entries(own.rows)) if (left.has(id) || left.has(values.report_book_id)) delete own.rows[key]
    own.cursor = page.cursor
    own.scope = page.scope
    this.#save()
    return keys.length
  }
}

const pick = (values, columns) => Object.fromEntries(columns.map((column) => [column, values[column] ?? null]))

/** What a history entry says of a write: the changed columns, before and after, and in `detail` what these do not show. */
function changesOf(before, values, { unit, now, hlc, high }) {
  const isChanged = (column) => JSON.stringify(values[column]) !== JSON.stringify(before[column] ?? null)
  const changed = Object.keys(values).filter(isChanged)
  const sides = [before, values].map((side) => pick(side, changed))
  const [was, is] = sides.map((side) => (Object.values(side).some((value) => value !== null) ? side : undefined))
  const isClock = hlc !== now || high.length > 0 || changed.length === 0
  const kept = Object.keys(values).filter((column) => !isChanged(column))
  const detail = { ...(isClock && { units: { [unit]: [hlc, ...high] } }), ...(kept.length > 0 && { values: pick(values, kept) }) }
  const isPlain = Object.keys(detail).length === 0
  return { changes: JSON.stringify({ before: was, after: is }), detail: isPlain ? null : JSON.stringify(detail) }
}
