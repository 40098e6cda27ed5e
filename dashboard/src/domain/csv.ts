// Comma-separated values, as spreadsheets read them (RFC 4180).

type Cell = string | number;

export function csvOf(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [header, ...rows].map((row) => row.map(cellOf).join(",")).join("\r\n") + "\r\n";
}

/** A text that a spreadsheet would take for a formula is marked as text. */
function cellOf(cell: Cell): string {
  if (typeof cell === "number") return String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
