/** A pairing code as the phone asks for it, in two halves: `ABCD-EFGH`. */
export function formatPairingCode(code: string): string {
  return code.length === 8 ? `${code.slice(0, 4)}-${code.slice(4)}` : code;
}
