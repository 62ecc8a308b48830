/** A number inside a working, to 4 decimals, as the chosen language writes it. Printed results have their own 2 (`figure`). */
export const precise = (value: number): string =>
  new Intl.NumberFormat(document.documentElement.lang || 'en', { maximumFractionDigits: 4 }).format(value)
