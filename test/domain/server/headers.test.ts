// Clients cannot choose the address that attempts are counted against, or the scheme that protects keys.
import { expect, it } from "vitest";
import { clientOf, passedOn, readProxies } from "#root/server/front/headers.ts";

const proxies = (...entries: string[]) => {
  const read = readProxies(entries);
  if (read === null) throw new Error(`refused: ${entries.join()}`);
  return read;
};
const CADDY = proxies("10.0.0.0/8", "fd00::/8");
const addressOf = (peer: string, headers: Record<string, string[]>) => clientOf(peer, headers, CADDY).address;

it.each([
  ["a client without a proxy", "203.0.113.9", {}, "203.0.113.9"],
  ["its own X-Forwarded-For", "203.0.113.9", { "x-forwarded-for": ["198.51.100.1"] }, "203.0.113.9"],
  ["its own CF-Connecting-IP", "203.0.113.9", { "cf-connecting-ip": ["198.51.100.1"] }, "203.0.113.9"],
  [
    "CF-Connecting-IP through the proxy",
    "10.0.0.2",
    { "cf-connecting-ip": ["1.1.1.1"], "x-forwarded-for": ["203.0.113.9"] },
    "203.0.113.9",
  ],
  ["Forwarded and X-Real-IP", "203.0.113.9", { forwarded: ["for=198.51.100.1"], "x-real-ip": ["198.51.100.1"] }, "203.0.113.9"],
  ["a chain that starts with an invented address", "10.0.0.2", { "x-forwarded-for": ["198.51.100.1, 203.0.113.9"] }, "203.0.113.9"],
  ["an invented trusted proxy in the chain", "10.0.0.2", { "x-forwarded-for": ["198.51.100.1, 10.9.9.9, 203.0.113.9"] }, "203.0.113.9"],
  ["two headers", "10.0.0.2", { "x-forwarded-for": ["198.51.100.1", "203.0.113.9"] }, "203.0.113.9"],
  ["two trusted proxies", "10.0.0.2", { "x-forwarded-for": ["198.51.100.1, 203.0.113.9, 10.0.0.7"] }, "203.0.113.9"],
  ["garbage behind its address", "10.0.0.2", { "x-forwarded-for": ["203.0.113.9, <script>"] }, "10.0.0.2"],
  ["an empty entry", "10.0.0.2", { "x-forwarded-for": ["198.51.100.1,,203.0.113.9"] }, "203.0.113.9"],
  ["IPv6", "fd00::2", { "x-forwarded-for": ["198.51.100.1, 2001:DB8:0:0::0009"] }, "2001:db8::9"],
  ["IPv6 with a port", "fd00::2", { "x-forwarded-for": ["[2001:db8::9]:4711"] }, "2001:db8::9"],
  ["IPv4 in IPv6, as a socket reports it", "::ffff:203.0.113.9", { "x-forwarded-for": ["198.51.100.1"] }, "203.0.113.9"],
  ["IPv4 in IPv6, in hex", "10.0.0.2", { "x-forwarded-for": ["::ffff:cb00:7109"] }, "203.0.113.9"],
  ["a mapped trusted proxy", "::ffff:10.0.0.2", { "x-forwarded-for": ["203.0.113.9:8080"] }, "203.0.113.9"],
  ["a zone", "fd00::2", { "x-forwarded-for": ["fe80::1%eth0"] }, "fd00::2"],
])("the client's address is taken correctly from %s", (_what, peer, headers, expected) => {
  expect(addressOf(peer, headers as Record<string, string[]>)).toBe(expected);
});

it.each([
  ["plain", "203.0.113.9", {}, "http"],
  ["claimed by the client", "203.0.113.9", { "x-forwarded-proto": ["https"] }, "http"],
  ["TLS at the proxy", "10.0.0.2", { "x-forwarded-proto": ["https"] }, "https"],
  ["plain at the proxy", "10.0.0.2", { "x-forwarded-proto": ["http"] }, "http"],
  ["claimed before the proxy added its own", "10.0.0.2", { "x-forwarded-proto": ["https", "http"] }, "http"],
  ["this machine", "127.0.0.1", { host: ["localhost:8787"] }, "https"],
  ["a name that only starts like this machine's", "203.0.113.9", { host: ["localhost.example.com"] }, "http"],
])("the client's scheme is taken correctly: %s", (_what, peer, headers, expected) => {
  expect(clientOf(peer, headers as Record<string, string[]>, CADDY).scheme).toBe(expected);
});

it("the worker receives no header that only a platform, a proxy or the local runtime may set", () => {
  const sent = ["Host", "a", "CF-Connecting-IP", "1.1.1.1", "cf-ipcountry", "BR", "MF-CF-Blob", "{}", "X-Forwarded-For", "1.1.1.1"];
  const more = [
    "X-Gateway-Scheme",
    "https",
    "Connection",
    "keep-alive",
    "X-Api-Key",
    "key",
    "CF-Connecting-IP",
    "2.2.2.2",
    "X-Gateway-Front",
    "guessed",
  ];
  expect(passedOn([...sent, ...more], { address: "203.0.113.9", scheme: "http" }, "front's")).toEqual([
    "Host",
    "a",
    "X-Api-Key",
    "key",
    "CF-Connecting-IP",
    "203.0.113.9",
    "x-gateway-scheme",
    "http",
    "x-gateway-front",
    "front's",
  ]);
});

it("trusted proxies that are no addresses are refused", () => {
  for (const entry of ["caddy", "10.0.0.0/33", "10.0.0.0/", "fd00::/129", "10.0.0.0/8/8", "300.1.1.1"])
    expect(readProxies([entry]), entry).toBeNull();
});
