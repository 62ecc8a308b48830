// drizzle-kit reads the tables and the Postgres schemas from the exports of one module.
const { postgresSchemas } = require('../shared/tables/columns.postgres.ts')
const { postgresTables } = require('../shared/tables/postgres.ts')
const { sqliteTables } = require('../shared/tables/sqlite.ts')

const isPostgres = process.env.DIALECT === 'postgresql'
module.exports = { ...(isPostgres ? [...Object.values(postgresSchemas), ...Object.values(postgresTables)] : Object.values(sqliteTables)) }
