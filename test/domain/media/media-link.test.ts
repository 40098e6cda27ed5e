import { describe, expect, it } from "vitest";
import {
  extensionOf,
  isMediaPurged,
  isMediaToken,
  makeMediaToken,
  mediaDayPrefix,
  mediaKey,
  mediaLink,
  mediaPrefixOf,
  tokenOfMediaName,
} from "@gateway/domain/media/media-link.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";

const at = Date.UTC(2026, 10, 21, 12);
const CONNECTION = "0f0e0d0c-0b0a-4908-8706-050403020100";
const token = makeMediaToken(new Uint8Array(16).fill(0xab), CONNECTION, at);

describe("a media token", () => {
  it("carries 128 random bits and the day it expires", () => {
    expect(isMediaToken(token)).toBe(true);
    expect(token.endsWith("ab".repeat(16))).toBe(true);
    expect(mediaKey(token).startsWith(mediaDayPrefix(at))).toBe(true);
    expect(mediaDayPrefix(at + DAY_MS)).not.toBe(mediaDayPrefix(at));
    expect(() => makeMediaToken(new Uint8Array(15), CONNECTION, at)).toThrow("16 random bytes");
  });

  it("leads to the files of its connection, without naming it", () => {
    expect(mediaKey(token).startsWith(mediaPrefixOf(CONNECTION, mediaDayPrefix(at)))).toBe(true);
    const another = makeMediaToken(new Uint8Array(16), "1f0e0d0c-0b0a-4908-8706-050403020100", at);
    expect(mediaKey(another).startsWith(mediaPrefixOf(CONNECTION, mediaDayPrefix(at)))).toBe(false);
    expect(token).not.toContain(CONNECTION.slice(0, 8));
  });

  it("is accepted in the older form without a connection hash", () => {
    const early = `${token.slice(0, 4)}${"cd".repeat(16)}`;
    expect([isMediaToken(early), tokenOfMediaName(`${early}.jpg`)]).toEqual([true, early]);
    expect(mediaKey(early).startsWith(mediaDayPrefix(at))).toBe(true);
  });

  it("shows when its file has been purged", () => {
    expect([at - DAY_MS, at, at + DAY_MS].map((now) => isMediaPurged(token, now))).toEqual([false, false, true]);
    expect(isMediaPurged("no token at all", at + DAY_MS)).toBe(false);
  });

  it("is accepted only from our own links", () => {
    const link = mediaLink("https://app.example.com", token, "image/jpeg");
    expect(link).toBe(`https://app.example.com/api/midia/${token}.jpg`);
    expect(tokenOfMediaName(link.split("/").at(-1) ?? "")).toBe(token);
    for (const name of [token, `${token}.`, `${token}.j.pg`, `${token}.JPG`, `x${token}.jpg`, `${token}/../a.jpg`, ".jpg", ""]) {
      expect([name, tokenOfMediaName(name)]).toEqual([name, null]);
    }
  });
});

describe("an extension", () => {
  it("follows the media type, whatever its parameters", () => {
    expect(["audio/ogg; codecs=opus", "IMAGE/PNG", "application/x-unheard-of", "", "constructor"].map(extensionOf)).toEqual([
      "ogg",
      "png",
      "bin",
      "bin",
      "bin",
    ]);
  });
});
