import { gradingScaleHandlers } from './grading-scale/grading-scale.handlers.ts'
import { termHandlers } from './terms/terms.handlers.ts'

/** Every resource of the contract with the handlers that answer it. */
export const handlers = {
  terms: termHandlers,
  gradingScale: gradingScaleHandlers,
}
