// Media types from unknown senders (RFC 9110, 8.3.1).
import { describe, expect, it } from "vitest";
import type { GraphContent } from "@gateway/domain/cloud/graph-values.ts";
import { contentOf } from "@gateway/domain/cloud/view.ts";
import { mediaTypeOf, parseMediaType } from "@gateway/protocol/files.ts";
import { HOSTILE_TYPES } from "../../support/strangers/types.ts";

describe("a media type", () => {
  it.each([
    ["image/png", "image/png"],
    ["IMAGE/PNG", "image/png"],
    ["audio/ogg; codecs=opus", "audio/ogg; codecs=opus"],
    ['audio/ogg;codecs="opus"', "audio/ogg; codecs=opus"],
    ['video/mp4 ; Codecs="avc1.42E01E, mp4a.40.2"', 'video/mp4; codecs="avc1.42E01E, mp4a.40.2"'],
    ["text/plain; charset=UTF-8; format=flowed", "text/plain; charset=UTF-8"],
    ["text/plain; charset=utf-8; charset=utf-7", "text/plain; charset=utf-8"],
    ["application/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.text"],
    ["image/png;", "image/png"],
    ["image/svg+xml", "image/svg+xml"],
  ])("%j is read as %j", (named, parsed) => {
    expect(parseMediaType(named)).toBe(parsed);
  });

  it.each([
    "",
    "image",
    "image/",
    "/png",
    "image/png/x",
    "*/*",
    "image /png",
    "image/png; =x",
    "image/png; x=",
    "é/png",
    "image/png, text/html",
  ])("%j is no media type", (named) => {
    expect(mediaTypeOf(named)).toBe("application/octet-stream");
  });

  it("becomes one that any header can carry if it is malicious", () => {
    for (const named of HOSTILE_TYPES) {
      const type = mediaTypeOf(named);
      expect(type, named).toMatch(/^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+(; (charset|codecs)=("[ !#-[\]-~]*"|[\w!#$%&'*+.^`|~-]+))*$/);
      expect(new Headers({ "content-type": type }).get("content-type")).toBe(type);
    }
  });

  it("is parsed as the message is read for a file of the Cloud API, its name too", () => {
    const document = { id: "1", mime_type: "text/html, image/png", filename: "a\r\n\u202egpj.exe", caption: null, sha256: null };
    const { media, file } = contentOf({ type: "document", document } as unknown as GraphContent);
    const read = { mimetype: "application/octet-stream", filename: "agpj.exe" };
    expect([media, file]).toMatchObject([read, read]);
  });

  // An algorithm that doubles its steps per piece would not finish within the test's timeout.
  it("is parsed completely, however it is written", () => {
    for (const piece of [";", " ;", "; ", "; a=b", "/", 'a="', "\t"])
      expect(mediaTypeOf(`image/png${piece.repeat(50)}\n`)).toMatch(/^(image\/png|application\/octet-stream)/);
    expect(mediaTypeOf("a".repeat(1_000_000))).toBe("application/octet-stream");
  });
});
