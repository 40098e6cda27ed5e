/**
 * The host of an address that is safe to open, or null if the address is not a web page's. International names stay in Punycode, so that
 * none imitates another.
 */
export function webHost(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const { protocol, host } = new URL(address);
  return protocol === "https:" || protocol === "http:" ? host : null;
}
