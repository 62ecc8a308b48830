import type { ReactNode } from 'react'
import { createPortal } from 'react-dom'
import styles from './print-sheet.module.css'

/** Hidden on the screen. While it is mounted, `window.print()` prints it instead of the page. */
export const PrintSheet = ({ children }: { children: ReactNode }) =>
  createPortal(
    <div className={styles['sheet']} aria-hidden="true">
      {children}
    </div>,
    document.body,
  )
