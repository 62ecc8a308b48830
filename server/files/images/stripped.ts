import { imageFailures } from '@markbook/shared/contract/avatars'
import type { Failure } from '@markbook/shared/failures'

/** Pixels of a frame as stated in the file. */
export type Dimensions = { width: number; height: number }
/** A picture rebuilt from the parts that draw it, and the sides of all its frames. */
export type StrippedImage = { bytes: Uint8Array; sides: Dimensions[] }

export const damaged = (): Failure =>
  imageFailures.wrongType({ message: 'This picture is damaged or not complete. Please choose another one.' })
