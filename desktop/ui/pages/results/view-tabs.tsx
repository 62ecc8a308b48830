import type { ReactNode } from 'react'
import styles from './results.module.css'

/** The views of one page: links, so that each has its address. `children` are the links; the shown one says `aria-current`. */
export const ViewTabs = ({ label, children }: { label: string; children: ReactNode }) => (
  <nav className={styles['tabs']} aria-label={label}>
    {children}
  </nav>
)
