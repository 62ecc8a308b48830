import styles from './results.module.css'

/** A word and its figure. */
export type Tile = readonly [word: string, value: string]

export const Tiles = ({ tiles }: { tiles: readonly Tile[] }) => (
  <dl className={styles['tiles']}>
    {tiles.map(([word, value]) => (
      <div key={word} className={styles['tile']}>
        <dt>{word}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)
