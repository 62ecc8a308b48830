/** Set by `.ci/run` and by the services that run it: what is proved there is proved whole, and what cannot be had is a failure. */
export const isCi: boolean = !['', '0', 'false'].includes(process.env['CI'] ?? '')
