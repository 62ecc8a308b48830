import type { TestProject } from 'vitest/node'
import { startCluster } from './cluster.ts'
import { makeTemplate } from './database.ts'

/** Vitest global setup of the Postgres runs: one cluster for all files, one database for each. */
export default async function setup(project: TestProject) {
  const given = process.env['TEST_POSTGRES_URL']
  const cluster = given ? { url: given, description: `the PostgreSQL of TEST_POSTGRES_URL`, stop: async () => {} } : await startCluster()
  console.log(`Postgres tests run on ${cluster.description}.`)
  await makeTemplate(cluster.url)
  project.provide('postgresUrl', cluster.url)
  return cluster.stop
}

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string
  }
}
