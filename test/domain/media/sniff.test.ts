import { describe, expect, it } from "vitest";
import { resolveMediaType, FILE_RULES } from "@gateway/domain/media/file-rules.ts";
import { sniffMediaType } from "@gateway/domain/media/sniff.ts";

const bytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
const ftyp = (brand: string) => `\0\0\0\x20ftyp${brand}\0\0\0\0`;

describe("a file's first bytes", () => {
  it.each([
    ["\xff\xd8\xff\xe0\0\x10JFIF", "image/jpeg"],
    ["\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR", "image/png"],
    ["GIF89a\x01", "image/gif"],
    ["RIFF\x24\0\0\0WEBPVP8 ", "image/webp"],
    ["RIFF\x24\0\0\0WAVEfmt ", "audio/wav"],
    ["RIFF\x24\0\0\0AVI LIST", "video/x-msvideo"],
    [ftyp("isom"), "video/mp4"],
    [ftyp("mp42"), "video/mp4"],
    [ftyp("M4A "), "audio/mp4"],
    [ftyp("3gp4"), "video/3gpp"],
    [ftyp("qt  "), "video/quicktime"],
    [ftyp("heic"), "image/heic"],
    [ftyp("avif"), "image/avif"],
    [`OggS${"\0".repeat(24)}OpusHead\x01`, "audio/ogg; codecs=opus"],
    [`OggS${"\0".repeat(24)}\x01vorbis`, "audio/ogg"],
    [`OggS${"\0".repeat(24)}\x80theora`, "video/ogg"],
    ["ID3\x04\0", "audio/mpeg"],
    ["\xff\xfb\x90\x64", "audio/mpeg"],
    ["\xff\xf3\x90\x64", "audio/mpeg"],
    ["\xff\xf1\x50\x80", "audio/aac"],
    ["\xff\xf9\x50\x80", "audio/aac"],
    ["#!AMR\n", "audio/amr"],
    ["fLaC\0", "audio/flac"],
    ["\x1a\x45\xdf\xa3\x93\x42\x82\x88webm", "video/webm"],
    ["\x1a\x45\xdf\xa3\x93\x42\x82\x88matroska", "video/x-matroska"],
    ["%PDF-1.7", "application/pdf"],
    ["PK\x03\x04", "application/zip"],
    ["<html>", null],
    ["\xff\xfeh\0e\0", null],
    ["\xff", null],
    ["RIFF", null],
    ["", null],
  ])("%j is %s", (head, type) => {
    expect(sniffMediaType(bytes(head))).toBe(type);
  });
});

describe("the resolved media type of a file", () => {
  it.each([
    ["image", "image/png", "image/jpeg", "image/png"],
    ["image", "image/jpeg", null, "image/jpeg"],
    ["video", "video/mp4", "application/octet-stream", "video/mp4"],
    ["video", null, "video/mp4", "video/mp4"],
    ["convertibleVideo", "video/webm", null, "video/webm"],
    ["audio", "video/mp4", "audio/mp4", "audio/mp4"],
    ["audio", "video/mp4", "audio/x-m4a", "audio/mp4"],
    ["audio", null, "audio/mp3", "audio/mpeg"],
    ["audio", "audio/mpeg", "text/plain", "audio/mpeg"],
    ["voice", "audio/ogg; codecs=opus", null, "audio/ogg; codecs=opus"],
    ["voice", null, 'audio/ogg;codecs="opus"', "audio/ogg; codecs=opus"],
    ["convertibleVoice", "audio/ogg", "audio/ogg; codecs=opus", "audio/ogg"],
    ["convertibleVoice", "video/webm", "audio/webm", "audio/webm"],
    [
      "document",
      "application/zip",
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ],
    ["document", "application/pdf", null, "application/pdf"],
    ["document", null, null, "application/octet-stream"],
    ["sticker", "image/webp", null, "image/webp"],
  ] as const)("%s, by its bytes %s, called %s: %s", (rule, sniffed, said, type) => {
    expect(resolveMediaType(FILE_RULES[rule], sniffed, said)).toEqual({ ok: true, value: type });
  });

  it.each([
    ["image", null, "image/png"],
    ["image", "image/gif", null],
    ["image", "application/pdf", "image/png"],
    ["video", "video/webm", "video/mp4"],
    ["audio", "audio/wav", null],
    ["audio", "image/png", "audio/mpeg"],
    ["voice", "audio/mpeg", null],
    ["sticker", "image/gif", null],
    ["picture", "image/webp", null],
  ] as const)("is refused for %s with the bytes of %s, called %s", (rule, sniffed, said) => {
    expect(resolveMediaType(FILE_RULES[rule], sniffed, said)).toMatchObject({
      ok: false,
      failure: { code: "media_invalid", details: { reason: "wrong_format" } },
    });
  });
});
