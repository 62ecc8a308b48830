import type { CrestPicture } from '../drawing/crest.ts'
import type { Faces } from '../drawing/faces.ts'
import type { BroadsheetInput } from './broadsheet.input.ts'
import type { Statistics } from './statistics.ts'

/** A broadsheet on its paper: what is told, and where it stands (points from the top left). */
export type Sheet = {
  input: BroadsheetInput
  statistics: Statistics
  faces: Faces
  crest: CrestPicture | null
  left: number
  width: number
}
