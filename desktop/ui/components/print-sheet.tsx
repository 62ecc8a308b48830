import type { ReactNode } from 'react'
import { createPortal } from 'react-dom'
import styles from './print-sheet.module.css'

/** Printed in place of the page, and hidden on the screen: while it is mounted, `window.print()` prints it alone. */
export const PrintSheet = ({ children }: { children: ReactNode }) =>
  createPortal(
    <div className={styles['sheet']} aria-hidden="true">
      {children}
    </div>,
    document.body,
  )
