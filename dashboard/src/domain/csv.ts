// RFC 4180.

type Cell = string | number;

export function csvOf(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [header, ...rows].map((row) => row.map(cellOf).join(",")).join("\r\n") + "\r\n";
}

/** Marks texts that a spreadsheet would run as a formula. */
function cellOf(cell: Cell): string {
  if (typeof cell === "number") return String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
