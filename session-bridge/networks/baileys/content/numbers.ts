/** 64-bit numbers of the wire come as Long, number or (in JSON form) text. Not a number: 0. */
export function numberOf(value: unknown): number {
  if (typeof value === "number") return value;
  if (typeof value === "string") return Number(value) || 0;
  if (value !== null && typeof value === "object" && "toNumber" in value && typeof value.toNumber === "function")
    return Number(value.toNumber());
  return 0;
}
