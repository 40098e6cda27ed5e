/** 64-bit numbers are decoded as Long, as number or (in JSON form) as text. Anything else: 0. */
export function numberOf(value: unknown): number {
  if (typeof value === "number") return value;
  if (typeof value === "string") return Number(value) || 0;
  if (value !== null && typeof value === "object" && "toNumber" in value && typeof value.toNumber === "function")
    return Number(value.toNumber());
  return 0;
}
