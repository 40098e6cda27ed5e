// A browser's live WebM recording becomes an Ogg file that phones can play.
import { expect, it } from "vitest";
import { oggOfWebm } from "#root/dashboard/src/domain/ogg-opus.ts";
import { FILE_RULES, resolveMediaType } from "@gateway/domain/media/file-rules.ts";
import { sniffMediaType } from "@gateway/domain/media/sniff.ts";

const UNKNOWN = [0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
const HEAD = Buffer.concat([Buffer.from("OpusHead\x01\x01", "latin1"), Buffer.from([0x38, 0x01, 0x80, 0xbb, 0, 0, 0, 0, 0])]);
const sized = (id: number[], body: Uint8Array) =>
  Buffer.concat([Buffer.from([...id, 0x40 | (body.length >> 8), body.length & 0xff]), body]);
const open = (id: number[]) => Buffer.from([...id, ...UNKNOWN]);
/** A packet of 20 ms: configuration 31, one frame. */
const packet = (size: number, value: number) => Buffer.from([0xfc, ...Array.from({ length: size - 1 }, () => value)]);
const block = (data: Uint8Array) => sized([0xa3], Buffer.concat([Buffer.from([0x81, 0, 0, 0x80]), data]));
const PACKETS = [packet(10, 1), packet(255, 2), packet(600, 3)];

const webm = Buffer.concat([
  sized([0x1a, 0x45, 0xdf, 0xa3], Buffer.from("webm")),
  open([0x18, 0x53, 0x80, 0x67]),
  sized([0x16, 0x54, 0xae, 0x6b], sized([0xae], Buffer.concat([sized([0x86], Buffer.from("A_OPUS")), sized([0x63, 0xa2], HEAD)]))),
  open([0x1f, 0x43, 0xb6, 0x75]),
  sized([0xe7], Buffer.from([0])),
  block(PACKETS[0] ?? HEAD),
  block(PACKETS[1] ?? HEAD),
  open([0x1f, 0x43, 0xb6, 0x75]),
  sized([0xe7], Buffer.from([40])),
  block(PACKETS[2] ?? HEAD),
]);

type Page = { flags: number; samples: bigint; sequence: number; packet: Buffer; sum: number; computed: number };

/** Computes the checksum bit by bit, as in RFC 3533. */
function sumOf(bytes: Buffer): number {
  let sum = 0n;
  for (const byte of bytes) {
    sum ^= BigInt(byte) << 24n;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum & 0x80000000n ? (sum << 1n) ^ 0x04c11db7n : sum << 1n) & 0xffffffffn;
  }
  return Number(sum);
}

function pagesOf(ogg: Buffer): Page[] {
  const pages: Page[] = [];
  for (let at = 0; at < ogg.length;) {
    expect(ogg.toString("latin1", at, at + 4)).toBe("OggS");
    const segments = ogg[at + 26] ?? 0;
    const length = ogg.subarray(at + 27, at + 27 + segments).reduce((sum, size) => sum + size, 0);
    const whole = Buffer.from(ogg.subarray(at, at + 27 + segments + length));
    const sum = whole.readUInt32LE(22);
    whole.writeUInt32LE(0, 22);
    pages.push({
      flags: whole[5] ?? 0,
      samples: whole.readBigUInt64LE(6),
      sequence: whole.readUInt32LE(18),
      packet: whole.subarray(27 + segments),
      sum,
      computed: sumOf(whole),
    });
    at += whole.length;
  }
  return pages;
}

it("a recording keeps every packet, with times, order and checksums", () => {
  const pages = pagesOf(Buffer.from(oggOfWebm(webm) ?? []));
  expect(pages.map(({ flags, samples, sequence }) => [flags, Number(samples), sequence])).toEqual([
    [2, 0, 0],
    [0, 0, 1],
    [0, 960, 2],
    [0, 1_920, 3],
    [4, 2_880, 4],
  ]);
  expect(pages[0]?.packet.equals(HEAD)).toBe(true);
  expect(pages.slice(2).map(({ packet: carried }, at) => carried.equals(PACKETS[at] ?? HEAD))).toEqual([true, true, true]);
  expect(pages.map(({ sum }) => sum)).toEqual(pages.map(({ computed }) => computed));
});

it("a recording is accepted as a voice message, without a converter", () => {
  const ogg = oggOfWebm(webm) ?? new Uint8Array();
  expect(resolveMediaType(FILE_RULES.voice, sniffMediaType(ogg), "audio/ogg; codecs=opus")).toEqual({
    ok: true,
    value: "audio/ogg; codecs=opus",
  });
});

it("other recordings are rejected", () => {
  for (const bytes of [new Uint8Array(), new TextEncoder().encode("no sound"), webm.subarray(0, 20)]) expect(oggOfWebm(bytes)).toBeNull();
});
