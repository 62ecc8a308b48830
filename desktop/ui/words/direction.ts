/** Whether the page is read from right to left, as in Arabic. */
export const isRightToLeft = (): boolean => document.documentElement.dir === 'rtl'
