import type { LucideIcon } from 'lucide-react/types'
import styles from './icon.module.css'

export type IconShape = LucideIcon

/** Beside words that say the same, or on what has a name of its own: it is hidden from screen readers. */
export const Icon = ({ of: Shape }: { of: IconShape }) => <Shape className={styles['icon']} strokeWidth={1.75} aria-hidden="true" />
