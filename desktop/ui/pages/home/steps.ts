/** What a school needs before marks can be entered, in the order in which it is set up. */
export const steps = ['year', 'terms', 'subjects', 'classes', 'pupils', 'colleagues'] as const
export type Step = (typeof steps)[number]

export type SetUp = Record<Step, boolean>

/** The step to take now; null once all are done. */
export const nextStep = (setUp: SetUp): Step | null => steps.find((step) => !setUp[step]) ?? null
