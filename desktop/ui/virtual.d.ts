declare module 'virtual:contract' {
  export const contract: import('@markbook/shared/contract/contract').Contract
}

declare module 'virtual:words' {
  export const languages: readonly { code: string; name: string; load: () => Promise<{ areas: Record<string, object> }> }[]
}
