// Serves the 100,000 marks with PouchDB's own server, which is compatible with CouchDB, on LevelDB.
import Database from 'better-sqlite3'
import express from 'express'
import expressPouch from 'express-pouchdb'
import PouchDB from 'pouchdb'
import leveldb from 'pouchdb-adapter-leveldb'

const [folder, from] = process.argv.slice(2)
const AT_ONCE = 5_000
const Here = PouchDB.plugin(leveldb).defaults({ prefix: `${folder}/`, adapter: 'leveldb' })

const marks = new Here('marks')
const source = new Database(`${from}/markbook.sqlite`, { readonly: true })
let batch = []
for (const { id, ...row } of source.prepare('select * from grade').iterate()) {
  batch.push({ _id: id, ...row })
  if (batch.length < AT_ONCE) continue
  await marks.bulkDocs(batch)
  batch = []
}
await marks.bulkDocs(batch)

const app = express()
const options = { mode: 'minimumForPouchDB', inMemoryConfig: true, logPath: `${folder}/log.txt` }
app.use('/', expressPouch(Here, options))
const server = app.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
