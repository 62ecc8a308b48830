import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { people } from '@markbook/shared/story/people'
import { addressesAt, thisMachine } from '../../network/addresses.ts'
import type { Node } from '../processes/network.ts'
import { type Centre, seatAt, startCentre } from './centre.ts'
import { personOf, type Seat } from './person.ts'

/** A centre, two schools of which one speaks https, and a laptop at each. */
export type Installation = Centre & {
  schools: readonly [Node, Node]
  laptops: readonly [Node, Node]
  nodes: readonly Node[]
  schoolSeats: readonly [Seat, Seat]
  laptopSeats: readonly [Seat, Seat]
}

/** Starts them in the order in which somebody would; `cluster`: the address of a Postgres server. `fill` makes what is at the centre before anybody joins. */
export async function install(cluster: string, fill: (at: Centre) => Promise<void>, tell: (doing: string) => void): Promise<Installation> {
  const centre = await startCentre(cluster, tell)
  try {
    await fill(centre)
    tell('joining two schools and two laptops')
    return { ...centre, ...(await joined(centre)) }
  } catch (error) {
    await centre.remove()
    throw error
  }
}

async function joined({ instances, balanced, node, lineTo }: Centre): Promise<Omit<Installation, keyof Centre>> {
  const [first] = instances
  const [lan = '127.0.0.1'] = addressesAt('0.0.0.0', thisMachine())
  const school = await node('The school')
  const hilltop = await node('Hilltop', { scheme: 'https', address: lan })
  hilltop.settings['LAN'] = 'true'
  await school.joinAndStart(first, ['--school', 'St Brigid’s'], [], await lineTo('between the school and the centre', school, balanced))
  await hilltop.joinAndStart(first, ['--school', 'Hilltop'], [], await lineTo('between Hilltop and the centre', hilltop, balanced))
  const authority = join(hilltop.folder, 'authority.pem')
  await hilltop.done('cert', 'export', '--to', authority)
  const schoolSeats = [seatAt('the school', school), seatAt('Hilltop', hilltop, readFileSync(authority, 'utf8'))] as const
  await personOf('okafor', schoolSeats[0]).copied()
  await personOf('marker', schoolSeats[1]).copied()
  const [adas, teachers] = [await node('Ada’s laptop'), await node('Hilltop’s laptop')]
  const toSchool = await lineTo('between Ada’s laptop and the school', adas, () => school.port ?? 9)
  await adas.joinAndStart(school, ['--laptop', people.ada.email], ['--laptop'], toSchool)
  const toHilltop = await lineTo('between Hilltop’s laptop and Hilltop', teachers, () => hilltop.port ?? 9, {
    scheme: 'https',
    address: lan,
  })
  await teachers.joinAndStart(hilltop, ['--laptop', people.markerTeacher.email], ['--laptop', '--authority', authority], toHilltop)
  return {
    schools: [school, hilltop],
    laptops: [adas, teachers],
    nodes: [...instances, school, hilltop, adas, teachers],
    schoolSeats,
    laptopSeats: [seatAt('Ada’s laptop', adas), seatAt('Hilltop’s laptop', teachers)],
  }
}
