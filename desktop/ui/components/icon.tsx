import type { LucideIcon } from 'lucide-react/types'
import styles from './icon.module.css'

export type IconShape = LucideIcon

/** Hidden from screen readers: the text beside it, or the name of its button, says the same. */
export const Icon = ({ of: Shape }: { of: IconShape }) => <Shape className={styles['icon']} strokeWidth={1.75} aria-hidden="true" />
