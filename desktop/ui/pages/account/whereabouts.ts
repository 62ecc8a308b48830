import { OWN_PROGRAM } from '@markbook/shared/domain/device'
import { useTranslation } from 'react-i18next'
import type { ReplyOf } from '../../api/queries.ts'

type Whereabouts = Pick<ReplyOf<'sessions', 'list'>[number], 'program' | 'system' | 'address'>

/** The address of the server's own computer, as the server writes it. */
const isServerItself = (address: string) => address === 'local' || address.startsWith('127.') || address === '0:0:0:0::/64'

/** Returns functions that name a device and a place in the network. */
export function useWhereabouts() {
  const { t } = useTranslation('account')
  return {
    deviceOf: ({ program, system }: Whereabouts): string => {
      if (program === null || system === null) return program ?? system ?? t('device.unknown')
      return t(program === OWN_PROGRAM ? 'device.own' : 'device.browser', { program, system })
    },
    placeOf: ({ address }: Whereabouts): string => {
      if (address === null) return t('device.nowhere')
      return isServerItself(address) ? t('device.server') : t('device.network', { address })
    },
  }
}
