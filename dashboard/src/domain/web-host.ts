/** Returns the host of a web page's URL, or null for other URLs. Keeps Punycode, so that lookalike letters cannot imitate another host. */
export function webHost(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const { protocol, host } = new URL(address);
  return protocol === "https:" || protocol === "http:" ? host : null;
}
