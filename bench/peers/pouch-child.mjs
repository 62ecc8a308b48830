// A first copy of the marks by PouchDB's replication, into LevelDB.
import PouchDB from 'pouchdb'
import leveldb from 'pouchdb-adapter-leveldb'

const [folder, port] = process.argv.slice(2)
// Larger than the default of 100: fewer requests.
const BATCHES = { batch_size: 1_000, batches_limit: 4 }
const local = new (PouchDB.plugin(leveldb))(`${folder}/marks`, { adapter: 'leveldb' })

process.on('message', async (message) => {
  if (!message.copy) return
  const [cpu, started] = [process.cpuUsage(), performance.now()]
  await local.replicate.from(`http://127.0.0.1:${port}/marks`, BATCHES)
  const { user, system } = process.cpuUsage(cpu)
  const ms = performance.now() - started
  const { doc_count: rows } = await local.info()
  process.send({ copy: { cpuMicros: user + system, ms, rows } })
})
process.send({ port: 0 })
