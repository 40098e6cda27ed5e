import { describe, expect, it } from "vitest";
import { isPublicHost } from "@gateway/protocol/addresses/public.ts";

const host = (text: string) => new URL(`https://${text}/`).hostname;

describe("addresses", () => {
  it.each([
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "[2001:4860:4860::8888]",
    "[2606:4700::1111]",
    "[2a00:1450:4001:80b::200e]",
    "[2001:200::1]",
  ])("%s is public", (text) => expect(isPublicHost(host(text))).toBe(true));

  it.each([
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.0",
    "10.255.255.255",
    "100.64.0.0",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.255",
    "169.254.169.254",
    "172.16.0.0",
    "172.31.255.255",
    "192.0.0.1",
    "192.0.2.1",
    "192.31.196.1",
    "192.52.193.1",
    "192.88.99.1",
    "192.168.0.1",
    "192.175.48.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
  ])("%s is not public (IPv4)", (text) => expect(isPublicHost(host(text))).toBe(false));

  it.each([
    "[::]",
    "[::1]",
    "[::127.0.0.1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:8.8.8.8]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b::8.8.8.8]",
    "[64:ff9b:1::1]",
    "[100::1]",
    "[2001::1]",
    "[2001:0:7f00:1::]",
    "[2001:2::1]",
    "[2001:10::1]",
    "[2001:20::1]",
    "[2001:db8::1]",
    "[2002:7f00:1::]",
    "[2002:808:808::1]",
    "[3fff::1]",
    "[fc00::1]",
    "[fd12:3456:789a::1]",
    "[fe80::1]",
    "[fec0::1]",
    "[ff02::1]",
    "[5f00::1]",
    "[2606:4700::5efe:7f00:1]",
    "[2606:4700::200:5efe:7f00:1]",
  ])("%s is not public (IPv6)", (text) => expect(isPublicHost(host(text))).toBe(false));
});

describe("names", () => {
  it.each([
    "example.com",
    "hooks.example.com.br",
    "a-b.example.io",
    "xn--bcher-kva.example.net",
    "example.com.",
    "_dmarc.example.com",
    "mylocalhost.com",
    "internal.example.com",
    "test.com",
  ])("%s may be public", (text) => expect(isPublicHost(host(text))).toBe(true));

  it.each([
    "localhost",
    "localhost.",
    "sub.localhost",
    "router",
    "printer.local",
    "db.internal",
    "metadata.google.internal",
    "x.intranet",
    "nas.lan",
    "a.home.arpa",
    "1.0.0.127.in-addr.arpa",
    "a.test",
    "b.example",
    "c.invalid",
    "d.onion",
    "e.alt",
    "svc.cluster.local",
    "example.com..",
    "com.",
  ])("%s is not public", (text) => expect(isPublicHost(host(text))).toBe(false));

  it.each([
    "",
    "a..b",
    "-a.example.com",
    `${"a".repeat(64)}.example.com`,
    `${"a.".repeat(130)}com`,
    "[nonsense]",
    "[1::2::3]",
    "[1:2:3:4:5:6:7]",
  ])("are refused if they are no host: %j", (text) => expect(isPublicHost(text)).toBe(false));
});
