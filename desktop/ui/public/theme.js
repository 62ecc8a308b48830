// Before the first paint, so that nobody who chose the dark is blinded by the light.
try {
  const theme = localStorage.getItem('markbook.theme')
  if (theme === 'dark' || theme === 'light') document.documentElement.dataset.theme = theme
} catch {
  // A browser that keeps nothing follows the system's own setting.
}
