// Signatures on Meta's webhooks (docs/operate/untrusted-input.md, "Webhooks from Meta").
import { expect, it } from "vitest";
import { isSigned } from "#root/durable-objects/connection/cloud/signature.ts";
import { messagesChange, metaBytes, SECRET, signed, text, webhookOf } from "./webhook-bodies.ts";

const bytesOf = (value: string) => new TextEncoder().encode(value);
const BYTES = metaBytes(webhookOf(messagesChange(text("olá"))));

it("the right signature is accepted, but not with another byte in the body", async () => {
  const signature = await signed(BYTES);
  expect(await isSigned(BYTES, signature, [SECRET])).toBe(true);
  for (const at of [0, BYTES.length >> 1, BYTES.length - 1]) {
    const changed = BYTES.slice();
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(await isSigned(changed, signature, [SECRET])).toBe(false);
  }
});

it("anything but the exact signature is refused", async () => {
  const right = await signed(BYTES);
  const wrong = [
    null,
    "",
    "sha256=",
    right.slice(0, -1),
    `${right}0`,
    right.slice("sha256=".length),
    right.replace("sha256=", "sha1="),
    right.toUpperCase(),
    ` ${right}`,
    await signed(BYTES, "another secret"),
    `${right.slice(0, -1)}${right.endsWith("0") ? "1" : "0"}`,
  ];
  for (const header of wrong) expect(await isSigned(BYTES, header, [SECRET])).toBe(false);
});

it("a signature by any valid secret is accepted, and none without secrets", async () => {
  const signature = await signed(BYTES, "the one before");
  expect(await isSigned(BYTES, signature, [SECRET, "the one before"])).toBe(true);
  expect(await isSigned(BYTES, signature, [])).toBe(false);
});

it("non-ASCII characters may be signed unescaped, or escaped in lower case", async () => {
  const raw = bytesOf('{"body":"olá \u{1F600} /"}');
  const every = ["\x7f\x80\u07ff\u0800\ufffe", "\u{10000}\u{10ffff}", "\ufeff"];
  for (const body of every) {
    const units = Array.from({ length: body.length }, (_, at) => body.charCodeAt(at));
    const text = units.map((unit) => (unit < 0x80 ? String.fromCharCode(unit) : `\\u${unit.toString(16).padStart(4, "0")}`)).join("");
    expect(await isSigned(bytesOf(body), await signed(bytesOf(text)), [SECRET])).toBe(true);
  }
  expect(await isSigned(raw, await signed(raw), [SECRET])).toBe(true);
  const escaped = bytesOf('{"body":"ol\\u00e1 \\ud83d\\ude00 /"}');
  expect(await isSigned(raw, await signed(escaped), [SECRET])).toBe(true);
  expect(await isSigned(raw, await signed(bytesOf('{"body":"ol\\u00E1 \\ud83d\\ude00 /"}')), [SECRET])).toBe(false);
});

it("bytes that are not text are compared unchanged", async () => {
  const bytes = new Uint8Array([0xff, 0xfe, 0x00, 0xe9]);
  expect(await isSigned(bytes, await signed(bytes), [SECRET])).toBe(true);
  expect(await isSigned(bytes, await signed(bytesOf("ÿþ")), [SECRET])).toBe(false);
});
