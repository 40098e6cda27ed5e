/** Filters without those that are not set. */
export function given<T extends Record<string, string>>(filters: T): Partial<T> {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== "")) as Partial<T>;
}
