/** A pairing code in two halves, as the phone shows it: `ABCD-EFGH`. */
export function formatPairingCode(code: string): string {
  return code.length === 8 ? `${code.slice(0, 4)}-${code.slice(4)}` : code;
}
