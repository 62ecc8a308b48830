/** The keys of the grid, each with the key of its explanation (`marks:legend`). */
export const gridKeys = [
  ['Enter', 'kEnter'],
  ['Tab', 'kTab'],
  ['F2', 'kF2'],
  ['Esc', 'kEsc'],
  ['Del', 'kDelete'],
  ['Ctrl+Z', 'kUndo'],
  ['Ctrl+Y', 'kRedo'],
  ['Ctrl+C, Ctrl+X, Ctrl+V', 'kCopy'],
  ['Ctrl+D', 'kFillDown'],
  ['Ctrl+Enter', 'kFill'],
  ['Alt+R', 'kRemark'],
  ['Alt+X', 'kExclude'],
  ['Alt+H', 'kHistory'],
  ['Alt+E', 'kExplain'],
  ['Shift+F10', 'kMenu'],
] as const
