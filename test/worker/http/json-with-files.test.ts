// JSON with embedded files: same value as JSON.parse, but with decoded files in place of `base64` fields.
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { DISCARD_OF_CALLERS, IncomingBody } from "#root/src/http/body/incoming-body.ts";
import { type JsonBody, type JsonRules, readJson } from "#root/src/http/body/read.ts";
import { InlineFile } from "#root/src/http/body/file-extractor.ts";

/** Sends the body in chunks of this size. */
function requestOf(body: string | Uint8Array, pieceBytes = 65_536, contentType = "application/json"): Request {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  let at = 0;
  const stream = new ReadableStream({
    type: "bytes",
    pull(controller: ReadableByteStreamController) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + pieceBytes));
      at += pieceBytes;
    },
  });
  return new Request("https://app.example.com/", { method: "POST", body: stream, headers: { "content-type": contentType } });
}

const RULES: JsonRules = { limitBytes: 26_214_400, files: 10, discard: DISCARD_OF_CALLERS, halfCharacter: "half" };

async function read(body: string | Uint8Array, pieceBytes?: number, more: Partial<JsonRules> = {}): Promise<JsonBody> {
  const incoming = new IncomingBody(requestOf(body, pieceBytes));
  const json = await readJson(incoming, { ...RULES, ...more }, createHash("sha256"));
  incoming.leave();
  return json;
}

async function valueOf(body: string, pieceBytes?: number): Promise<any> {
  const json = await read(body, pieceBytes);
  if (!json.ok) throw new Error(json.failure.code);
  return json.value;
}

const bytesOf = (file: unknown): Buffer | null => {
  if (!(file instanceof InlineFile)) throw new Error("no file");
  return file.bytes === null ? null : Buffer.concat(file.bytes);
};
const fileIn = async (base64: string, pieceBytes?: number) =>
  bytesOf((await valueOf(`{"media":{"base64":"${base64}"}}`, pieceBytes)).media.base64);

describe("a file in JSON", () => {
  it.each([0, 1, 2, 3, 4, 6_143, 6_144, 6_145, 400_001])("is decoded unchanged if it has %d bytes", async (size) => {
    const bytes = Buffer.from(Array.from({ length: size }, (_, index) => (index * 31 + (index >> 8)) % 256));
    expect((await fileIn(bytes.toString("base64")))?.equals(bytes)).toBe(true);
  });

  it("is found wherever the chunks of the body end", async () => {
    const body = String.raw` { "to" : "55\"11" , "media" : { "base64" : "aGVs\u002B/8\/", "mimetype" : "a\\b" } , "list":["base64", {"base64":""}], "é":"ü" } `;
    const wanted = { to: '55"11', mimetype: "a\\b", list: "base64", umlaut: "ü" };
    for (let pieceBytes = 1; pieceBytes <= body.length; pieceBytes += 1) {
      const value = await valueOf(body, pieceBytes);
      expect({ to: value.to, mimetype: value.media.mimetype, list: value.list[0], umlaut: value["é"] }).toEqual(wanted);
      expect([pieceBytes, bytesOf(value.media.base64)?.toString("base64")]).toEqual([pieceBytes, "aGVs+/8/"]);
    }
  });

  it("may contain JSON escapes", async () => {
    expect((await fileIn(String.raw`\/\/\/\/`))?.toString("hex")).toBe("ffffff");
    expect((await fileIn(String.raw`\u002B\u002b++`))?.toString("hex")).toBe("fbefbe");
    expect((await fileIn(String.raw`YQ\u003d\u003D`))?.toString()).toBe("a");
  });

  it.each([
    "YQ",
    "YQ=",
    "Y",
    "Y===",
    "=",
    "====",
    "YQ==YQ==",
    "Y-_a",
    "YQ= =",
    "YR==",
    "YWJ=",
    "YQ==\\n",
    "ação",
    "\\u0100aaa",
    "\\uZZZZ",
    "a b=",
  ])("is not recognized if its text is not strict Base64: %s", async (text) => {
    expect(await fileIn(text)).toBeNull();
    expect(await fileIn(text, 1)).toBeNull();
  });

  it("is matched to its own field, whatever else the request contains", async () => {
    const value = await valueOf('{"a":{"base64":"YQ=="},"b":{"base64":"Yg=="},"c":{"\\u0062ase64":"Yw=="},"d":{"base64":0}}');
    expect([value.a, value.b, value.c].map(({ base64 }) => bytesOf(base64)?.toString())).toEqual(["a", "b", "c"]);
    expect(value.d.base64).toBe(0);
  });
});

describe("JSON around files", () => {
  it("keeps white space inside texts, and its syntax errors", async () => {
    expect(await valueOf('{ "text" : "a   b\\n" ,\n\n\t"n" : [ 1 , 2 ] }')).toEqual({ text: "a   b\n", n: [1, 2] });
    for (const wrong of [
      '{"a":1 2}',
      '{"a":1',
      '{"base64":"YQ=="',
      '{"base64":"YQ==',
      '{"base64" "YQ=="}',
      '{"a":"\n"}',
      "tru e",
      '{"a":tr  ue}',
    ])
      expect([wrong, await read(wrong), await read(wrong, 1)]).toEqual([
        wrong,
        { ok: false, failure: { code: "invalid_json" } },
        { ok: false, failure: { code: "invalid_json" } },
      ]);
  });

  it("is limited in size besides its files", async () => {
    const long = `{"text":"${"a".repeat(5 * 1024 * 1024)}"}`;
    expect(await read(long)).toEqual({ ok: false, failure: { code: "validation_error", details: { limit_bytes: 1_048_576 } } });
    const spaced = `{"text":${" ".repeat(5 * 1024 * 1024)}"a"}`;
    expect(await read(spaced)).toMatchObject({ ok: true, value: { text: "a" } });
  });

  it("is hashed as received", async () => {
    const [one, other] = ['{"base64":"YQ=="}', '{ "base64":"YQ=="}'].map((body) => ({ body, hash: createHash("sha256") }));
    for (const { body, hash } of [one!, other!]) {
      await readJson(new IncomingBody(requestOf(body, 3)), RULES, hash);
      expect(hash.digest("hex")).toBe(createHash("sha256").update(body).digest("hex"));
    }
  });
});

describe("JSON that costs too much", () => {
  const details = async (body: string, more?: Partial<JsonRules>) => {
    const answer = await read(body, undefined, more);
    return answer.ok ? null : answer.failure.details;
  };

  it("is refused by depth, whatever it nests", async () => {
    const nested = (open: string, close: string, depth: number) => open.repeat(depth) + "1" + close.repeat(depth);
    for (const [open, close] of [
      ["[", "]"],
      ['{"a":', "}"],
    ] as const) {
      expect((await read(nested(open, close, 32))).ok).toBe(true);
      expect(await details(nested(open, close, 33))).toEqual({ limit_depth: 32 });
    }
    expect(await details("[".repeat(3 * 1024 * 1024))).toEqual({ limit_depth: 32 });
    expect(await valueOf(`{"a":"${"[".repeat(40)}"}`)).toEqual({ a: "[".repeat(40) });
  });

  it("is refused by its number of values", async () => {
    expect((await read(`[${"0,".repeat(9_000)}0]`)).ok).toBe(true);
    expect(await details(`[${"0,".repeat(10_000)}0]`)).toEqual({ limit_values: 10_000 });
    expect(await details(`[${"{},".repeat(10_000)}0]`)).toEqual({ limit_values: 10_000 });
    const fields = Array.from({ length: 10_002 }, (_, n) => `"k${n}":0`).join(",");
    expect(await details(`{${fields}}`)).toEqual({ limit_values: 10_000 });
  });

  it("is refused by the length of a name", async () => {
    expect(await details(`{"${"k".repeat(1024 * 1024)}":1}`)).toEqual({ limit_bytes: 1_048_576 });
  });

  it("is refused if it has too many files, and keeps files as plain values where no files are accepted", async () => {
    const files = (count: number) => `[${Array.from({ length: count }, () => '{"base64":"QQ=="}').join(",")}]`;
    expect((await valueOf(files(10))).map((each: any) => bytesOf(each.base64)?.toString())).toEqual(Array.from({ length: 10 }, () => "A"));
    expect(await details(files(11))).toEqual({ limit_files: 10 });
    const answer = await read(files(11), undefined, { files: 0 });
    expect(answer).toMatchObject({ ok: true, value: Array.from({ length: 11 }, () => ({ base64: "QQ==" })) });
    expect(await details(`{"base64":"${"A".repeat(1024 * 1024)}"}`, { files: 0 })).toEqual({ limit_bytes: 1_048_576 });
    const escaped = await valueOf(`[${Array.from({ length: 11 }, () => String.raw`{"\u0062ase64":"QQ=="}`).join(",")}]`);
    expect(escaped.filter((each: any) => each.base64 instanceof InlineFile)).toHaveLength(10);
  });

  it.each([
    ["does not end", `{"base64":"${"A".repeat(1024 * 1024)}`, 26_214_400],
    ["is too large", `{"base64":"${"A".repeat(1024 * 1024)}"}`, 1_000_000],
    ["belongs to no JSON", `{"base64":"${"A".repeat(1024 * 1024)}"}}`, 26_214_400],
  ])("has the memory of its file released if it %s", async (_, body, limitBytes) => {
    let handedBack = 0;
    const transfer = ArrayBuffer.prototype.transfer;
    vi.spyOn(ArrayBuffer.prototype, "transfer").mockImplementation(function (this: ArrayBuffer, size) {
      if (size === 0) handedBack += this.byteLength;
      return transfer.call(this, size);
    });
    expect((await read(body, undefined, { limitBytes })).ok).toBe(false);
    vi.restoreAllMocks();
    expect(handedBack).toBeGreaterThan(700_000);
  });

  it("has no more memory allocated for a small file than its bytes", async () => {
    const { bytes } = (await valueOf('{"base64":"QQ=="}')).base64 as InlineFile;
    expect(bytes?.map((piece) => piece.buffer.byteLength)).toEqual([1]);
  });
});

describe("a lone surrogate", () => {
  it("is refused wherever it occurs, with its position", async () => {
    const issues = async (body: string) => {
      const answer = await read(body);
      return answer.ok ? null : answer.failure.issues?.map(({ field }) => field);
    };
    expect(await issues(String.raw`{"text":"a\ud83d"}`)).toEqual(["text"]);
    expect(await issues(String.raw`{"text":"\ude00b","to":"1"}`)).toEqual(["text"]);
    expect(await issues(String.raw`{"poll":{"options":["a",{"b":"\uD83D\uD83D"}]}}`)).toEqual(["poll.options.1.b"]);
    expect(await issues(String.raw`{"headers":{"x\ud83d":"a"}}`)).toEqual(["headers.x\ufffd"]);
    expect(await issues(String.raw`{"text":"\ud83d\ude00 \\ud83d"}`)).toBeNull();
    expect(await issues('{"text":"😀"}')).toBeNull();
  });
});
