export function numberOf(value: unknown): number {
  if (typeof value === "number") return value;
  if (typeof value === "string") return Number(value) || 0;
  if (value !== null && typeof value === "object" && "toNumber" in value && typeof value.toNumber === "function")
    return Number(value.toNumber());
  return 0;
}

/** Null unless the value is an integer that JSON parsers represent exactly, because strangers' clients can send anything. */
export function wholeNumberOf(value: unknown): number | null {
  const number = value === null || value === undefined ? Number.NaN : numberOf(value);
  return Number.isSafeInteger(number) && number >= 0 ? number : null;
}
