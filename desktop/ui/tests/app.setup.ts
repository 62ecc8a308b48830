import { ensureAppBuilt } from '../../../scripts/build.mjs'

/** The browser sees what every server serves: the app as it is built for people. */
export default function setup(): void {
  ensureAppBuilt()
}
