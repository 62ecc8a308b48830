// Mouse and touch in the grid of marks.

import type { PointerEvent, RefObject } from 'react'
import { isRightToLeft } from '../../words/direction.ts'
import type { Grid } from './grid-context.ts'
import type { CellPosition } from './model/navigation.ts'
import { swipeStep } from './model/swipe.ts'

/** The cell of an element; row -1 is the header. */
export function positionOf(target: EventTarget): CellPosition | null {
  const { row, col } = (target instanceof Element ? target.closest<HTMLElement>('[data-row]') : null)?.dataset ?? {}
  return row === undefined || col === undefined ? null : { row: Number(row), col: Number(col) }
}

/** Where a finger touched the grid; null while none does. */
export type FingerStart = ReturnType<typeof pointAt> | null
const pointAt = ({ clientX, clientY }: PointerEvent) => ({ x: clientX, y: clientY })

/**
 * A click selects a cell, a drag a range; a double click or a tap opens the editor. A finger that moves selects nothing, since it may
 * scroll; while the editor is open, a swipe goes to the next assessment.
 */
export function pointerHandlers({ selection, controller }: Grid, finger: RefObject<FingerStart>) {
  return {
    onPointerDown: (event: PointerEvent) => {
      if (event.pointerType === 'touch') {
        // With a second finger it is another gesture.
        finger.current = event.isPrimary ? pointAt(event) : null
        return
      }
      const position = positionOf(event.target)
      if (event.button !== 0 || !position || position.row < 0 || event.target instanceof HTMLInputElement) return
      controller.commitEdit(true)
      selection.moveTo(position, { extends: event.shiftKey, isPressed: true })
    },
    onPointerMove: (event: PointerEvent) => {
      if (event.buttons !== 1 || event.pointerType === 'touch' || selection.editing || selection.active.row < 0) return
      const position = positionOf(event.target)
      if (position && position.row >= 0 && (position.row !== selection.active.row || position.col !== selection.active.col))
        selection.moveTo(position, { extends: true })
    },
    onPointerUp: (event: PointerEvent) => {
      const step = finger.current && selection.editing ? swipeStep(finger.current, pointAt(event), isRightToLeft()) : null
      finger.current = null
      if (step) controller.moveAssessment(step)
    },
    // The browser scrolls with this touch.
    onPointerCancel: () => {
      finger.current = null
    },
    onClick: (event: React.MouseEvent) => {
      const position = positionOf(event.target)
      if (!position || position.row < 0 || event.target instanceof HTMLInputElement) return
      const isTouch = (event.nativeEvent as globalThis.PointerEvent).pointerType === 'touch'
      if (isTouch) {
        controller.commitEdit(true)
        selection.moveTo(position)
        controller.openEditor(null, true)
      }
      if (position.col >= controller.size().marks && !selection.hasSeveralCells()) controller.explain(position)
    },
    onDoubleClick: (event: React.MouseEvent) => {
      const position = positionOf(event.target)
      if (position && position.row >= 0 && !selection.editing) controller.openEditor(null)
    },
  }
}
