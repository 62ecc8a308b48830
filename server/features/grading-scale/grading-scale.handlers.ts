import { gradingScale } from '@markbook/shared/contract/grading-scale'
import type { GradingScale } from '@markbook/shared/domain/letters'
import { naturalId } from '@markbook/shared/ids'
import { type Handlers, onGuard } from '../../http/handler.ts'
import { gradingScaleOf, storedScale } from './grading-scale.policy.ts'

const rowOfScale = ({ passMark, bands }: GradingScale) => ({ pass_mark: passMark, bands: [...bands] })

export const gradingScaleHandlers: Handlers<typeof gradingScale> = {
  get: onGuard(gradingScale.get, async ({ tx, caller }) => rowOfScale(await gradingScaleOf(tx, caller.school_id))),

  put: onGuard(gradingScale.put, async ({ tx, caller }, { body }) => {
    const [before] = await storedScale(tx, { school: caller.school_id })
    const scale = rowOfScale(body)
    const id = naturalId('grading_scale', caller.school_id)
    if (before) await tx.update('grading_scale', before, scale)
    else await tx.insert('grading_scale', { id, school_id: caller.school_id, ...scale })
    return scale
  }),
}
