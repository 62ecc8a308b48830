import { Members } from './members.ts'
import { simulate } from './run.ts'

const [seed, table, row, who] = process.argv.slice(2)
const last = ''
const look = async (self: any, what: string) => {
  for (const { name, node } of self.members) {
    if (!(who ?? '').split(',').includes(name)) continue
    const rows = async (q: string, p: unknown[]) =>
      node.store.read({ as: 'system', userId: null } as never, (tx: any) => tx.line.rows(q, p)).catch((e: Error) => [e.message])
    const [r] = (await rows(`select * from ${table} where id=?`, [row])) as any[]
    const [s] = (await rows('select seq, vv, deleted, extra, settled, units from sync_row where table_name=? and row_id=?', [
      table,
      row,
    ])) as any[]
    const [h] = (await rows('select reason, state from sync_held where table_name=? and row_id=?', [table, row])) as any[]
    const short = (v: any) =>
      v === undefined
        ? '-'
        : JSON.stringify(v)
            .replaceAll(/019bb[0-9a-f-]{20,30}/g, (x) => x.slice(-5))
            .slice(0, 700)
    const now = `${name}: row ${short(r)}\n      sync ${short(s && { ...s, seq: undefined, units: JSON.parse(s.units).alive })}\n      held ${short(h)}`
    if ((self.lasts ??= {})[name] !== now) {
      self.lasts[name] = now
      self.say(`   [${what}] ${now}`)
    }
  }
}
for (const n of ['round', 'note', 'backUp', 'restore', 'clone']) {
  const real = (await import('./misfortunes.ts')).Misfortunes.prototype as any
  const f = real[n]
  real[n] = async function (...a: any[]) {
    const r = await f.apply(this, a)
    await look(this, n + ' ' + (a[0]?.name ?? ''))
    return r
  }
}
const { trace, failures } = await simulate(Number(seed))
console.log(trace.join('\n'))
process.exit()
