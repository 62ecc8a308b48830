import styles from './field.module.css'

type Choice = { id: string; name: string; about?: string }

/** Several of a list, each with its tick; scrolls where it is long. */
export function CheckList({
  label,
  choices,
  chosen,
  onChange,
}: {
  label: string
  choices: readonly Choice[]
  chosen: ReadonlySet<string>
  onChange: (chosen: ReadonlySet<string>) => void
}) {
  const toggle = (id: string) => {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    onChange(next)
  }
  return (
    <fieldset className={styles['list']}>
      <legend className={styles['label']}>{label}</legend>
      {choices.map(({ id, name, about }) => (
        <label key={id} className={styles['check']}>
          <input type="checkbox" checked={chosen.has(id)} onChange={() => toggle(id)} />
          <span>
            {name}
            {about && <small className={styles['about']}>{about}</small>}
          </span>
        </label>
      ))}
    </fieldset>
  )
}
