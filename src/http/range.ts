// R2's own range parsing returns the whole file instead of 416 for an unsatisfiable range, and for `bytes=-0`.

/** One `Range` of bytes (RFC 9110, 14.2) for R2. null: send the whole file, which also applies to several ranges or an invalid header. */
export function readRange(header: string | undefined, sizeBytes: number): R2Range | null | "unsatisfiable" {
  const match = /^bytes=(\d*)-(\d*)$/.exec((header ?? "").trim());
  if (match === null) return null;
  const [, first = "", last = ""] = match;
  if (first === "" && last === "") return null;
  if (first === "") return Number(last) === 0 ? "unsatisfiable" : { suffix: Math.min(Number(last), sizeBytes) };
  const offset = Number(first);
  if (last !== "" && Number(last) < offset) return null;
  if (offset >= sizeBytes) return "unsatisfiable";
  const end = last === "" ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  return { offset, length: end - offset + 1 };
}
