import { clientOf } from '@markbook/shared/contract/client'
import type { demoContract } from '@markbook/shared/contract/demo'

/** Only what is needed to call the endpoint, so that the contract is not loaded. */
const code = { method: 'POST', path: '/api/demo/code' } as (typeof demoContract)['code']
const { demo } = clientOf({ demo: { code } }, { baseUrl: location.origin, send: (request) => fetch(request) })

/** In a demonstration: the code that would otherwise be mailed to one of its accounts. */
export const demoCodeFor = async (email: string): Promise<string> => (await demo.code({ body: { email } })).code
