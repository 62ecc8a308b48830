import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { ensureAppBuilt } from '../../../scripts/build.mjs'
import { chromiumArguments, headlessPath } from './chromium.ts'

/** Vitest global setup of the browser tests: the app as it is built for people, and one Chromium for all files. */
export default async function setup(project: TestProject) {
  await ensureAppBuilt()
  if (!headlessPath) return project.provide('chromium', '')
  const server = await chromium.launchServer({ executablePath: headlessPath, headless: true, args: [...chromiumArguments] })
  project.provide('chromium', server.wsEndpoint())
  return () => server.close()
}
