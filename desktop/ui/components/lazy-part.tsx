import { Failure } from '@markbook/shared/failures'
import { type ComponentType, useContext, useEffect, useEffectEvent, useReducer, useState } from 'react'
import { Closing } from './closing.ts'
import { tellFailure } from './toasts.tsx'

type Load<P> = () => Promise<ComponentType<P>>
type Close = () => void

/** How long until a part that could not be loaded is asked for again, in ms. */
const AGAIN_MS = 5_000

/**
 * A part of a page that is loaded when it is first rendered; its `load` does so before. A part that cannot be loaded, since the server is
 * away, is asked for again. It never ends its page, which may have entries that are nowhere else.
 */
export const lazyPart = <P extends object>(load: Load<P>) => withLoading(load, (_, { again }) => void setTimeout(again, AGAIN_MS))

/**
 * The same for a dialog or a panel that a press opens: where it cannot be loaded a message says so, and it is closed, so that another press
 * tries again. `closingOf`: what closes it; without that, the dialog around it is closed.
 */
export const lazyDialog = <P extends object>(load: Load<P>, closingOf?: (props: P) => Close | undefined) =>
  withLoading(load, (props, { around }) => {
    tellFailure(new Failure(0, 'unreachable', 'The server cannot be reached.'))
    const close = closingOf ? closingOf(props) : around
    close?.()
  })

type OnFailure<P> = (props: P, ways: { again: () => void; around: Close | null }) => void

function withLoading<P extends object>(load: Load<P>, onFailure: OnFailure<P>) {
  let loaded: ComponentType<P> | null = null
  const start = async () => {
    loaded ??= await load()
    return loaded
  }
  function LazyPart(props: P) {
    const [Part, setPart] = useState(() => loaded)
    const [tries, again] = useReducer((count: number) => count + 1, 0)
    const around = useContext(Closing)
    const failed = useEffectEvent(() => onFailure(props, { again, around }))
    // biome-ignore lint/correctness/useExhaustiveDependencies: each try loads once more.
    useEffect(() => {
      if (Part) return
      let isShown = true
      start().then(
        (part) => isShown && setPart(() => part),
        () => isShown && failed(),
      )
      return () => {
        isShown = false
      }
    }, [Part, tries])
    return Part && <Part {...props} />
  }
  return Object.assign(LazyPart, { load: start })
}
