import { Loading } from '../components/page.tsx'

/** In place of a page that is on its way. */
export const Pending = () => <Loading />
