declare module 'virtual:contract' {
  export const contract: import('@markbook/shared/contract/contract').Contract
  export const desktopContract: typeof import('@markbook/shared/contract/desktop').desktopContract
}

declare module 'virtual:words' {
  type Load = () => Promise<{ areas: Record<string, object> }>
  export const languages: readonly { code: string; name: string; first: Load; rest: Load }[]
}
