/** Whether the page is read from the right, as in Arabic. */
export const isRightToLeft = (): boolean => document.documentElement.dir === 'rtl'
