import type { ReactNode } from 'react'
import { createPortal } from 'react-dom'
import styles from './print-sheet.module.css'

/** What goes on paper in place of the page, and is not seen on it: `window.print()` prints this alone while it is there. */
export const PrintSheet = ({ children }: { children: ReactNode }) =>
  createPortal(
    <div className={styles['sheet']} aria-hidden="true">
      {children}
    </div>,
    document.body,
  )
