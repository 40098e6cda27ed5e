import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../phones/world.ts";
import { judgeTraffic } from "../../contract/traffic.ts";
import { openCloud, type Cloud } from "./world.ts";

const BYTES = Buffer.from("bytes of a picture");

describe("files on Graph", () => {
  let cloud: Cloud;
  beforeAll(async () => void (cloud = await openCloud()));
  afterAll(() => cloud.close());

  /** A received picture, as described by its webhook. */
  const received = async (caption: string): Promise<{ id: string; sha256: string }> => {
    const file = { bytes: BYTES, mimetype: "image/jpeg", filename: null };
    must(await cloud.ana.send(cloud.phone, { type: "image", file, caption, view_once: false }));
    return (await cloud.app.message(({ image }) => image?.caption === caption)).image;
  };
  const bearer = () => ({ authorization: `Bearer ${cloud.number.access_token}` });
  const clock = (offset_s: number) => cloud.control("POST", "/cloud/clock", { offset_s });

  it("have a URL for five minutes, only for the token's holder", async () => {
    const { id } = await received("one");
    const { body } = await cloud.graph("GET", `/${id}?phone_number_id=${cloud.number.phone_number_id}`);
    const sha256 = createHash("sha256").update(BYTES).digest("hex");
    expect(body).toEqual({
      id,
      messaging_product: "whatsapp",
      mime_type: "image/jpeg",
      sha256,
      file_size: String(BYTES.length),
      url: expect.stringContaining("/whatsapp_business/attachments/?mid="),
    });
    expect(await cloud.call(body.url, "GET", undefined, bearer())).toMatchObject({ status: 200, body: BYTES });
    expect((await cloud.call(body.url, "GET")).status).toBe(401);
    await clock(301);
    expect((await cloud.call(body.url, "GET", undefined, bearer())).status).toBe(404);
    const again = await cloud.graph("GET", `/${id}`);
    expect((await cloud.call(again.body.url, "GET", undefined, bearer())).status).toBe(200);
  });

  it("expire after seven days, and are hidden from other numbers", async () => {
    await clock(0);
    const { id } = await received("two");
    expect((await cloud.graph("GET", `/${id}?phone_number_id=1`)).body.error).toMatchObject({ code: 100, error_subcode: 33 });
    await clock(7 * 86_400 + 1);
    expect((await cloud.graph("GET", `/${id}`)).body.error).toMatchObject({ code: 100, error_subcode: 33 });
    await clock(0);
    expect((await cloud.graph("DELETE", `/${id}`)).body).toEqual({ success: true });
    expect((await cloud.graph("GET", `/${id}`)).status).toBe(400);
  });

  it("may get a dead URL, or a wrong hash", async () => {
    await cloud.fault("expire_media");
    const { id } = await received("three");
    const [dead, live] = [(await cloud.graph("GET", `/${id}`)).body.url, (await cloud.graph("GET", `/${id}`)).body.url];
    expect((await cloud.call(dead, "GET", undefined, bearer())).status).toBe(404);
    expect((await cloud.call(live, "GET", undefined, bearer())).status).toBe(200);
    await cloud.fault("bad_media_hash");
    const wrong = await received("four");
    expect(wrong.sha256).not.toBe(createHash("sha256").update(BYTES).digest("base64"));
    await cloud.fault("error", { match: "/attachments/", http: 503, code: 1 });
    const url = (await cloud.graph("GET", `/${id}`)).body.url;
    expect((await cloud.call(url, "GET", undefined, bearer())).status).toBe(503);
    expect((await cloud.call(url, "GET", undefined, bearer())).status).toBe(200);
  });

  it("are refused if too large, or of an unknown type", async () => {
    const upload = async (bytes: number, type: string) => {
      const form = new FormData();
      form.set("messaging_product", "whatsapp");
      form.set("file", new Blob([new Uint8Array(bytes)], { type }), "file");
      return (await cloud.graph("POST", `/${cloud.number.phone_number_id}/media`, form)).body;
    };
    expect((await upload(5 * 1024 * 1024 + 1, "image/jpeg")).error.code).toBe(100);
    expect((await upload(10, "chemical/x-pdb")).error.code).toBe(100);
    expect(await upload(5 * 1024 * 1024, "image/jpeg")).toEqual({ id: expect.any(String) });
    const unknown = { messaging_product: "whatsapp", to: `+${cloud.ana.pn}`, type: "image", image: { id: "1234567890123456" } };
    expect((await cloud.send(unknown)).body.error.code).toBe(131_009);
  });

  it("conform to Meta's description", async () => {
    expect((await judgeTraffic(cloud.world.controlUrl)).problems).toEqual([]);
  });
});
