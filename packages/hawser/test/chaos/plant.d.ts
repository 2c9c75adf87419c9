export const PLANTS: Readonly<Record<string, { readonly noticed: RegExp }>>;
