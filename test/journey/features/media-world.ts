// A sandbox with Bia's phone, which receives a test's files, and a file server.
import sharp from "sharp";
import { customer, phones } from "../../support/clients.ts";
import { eventually } from "../../support/eventually.ts";
import { FileServer } from "../../support/file-server.ts";
import { ok } from "../../support/replies.ts";
import { type Sandbox, startSandbox } from "../../support/sandbox.ts";

export const BIA = "5511944440001";
export const CHAT = `${BIA}@c.us`;
export const MB = 1024 * 1024;

export class MediaWorld {
  readonly sandbox: Sandbox;
  readonly files: FileServer;

  private constructor(sandbox: Sandbox, files: FileServer) {
    this.sandbox = sandbox;
    this.files = files;
  }

  static async start(): Promise<MediaWorld> {
    const world = new MediaWorld(...(await Promise.all([startSandbox(), FileServer.start()])));
    await world.network.create(BIA, "Bia");
    return world;
  }

  async dispose(): Promise<void> {
    await Promise.all([this.sandbox.dispose(), this.files.stop()]);
  }

  get api(): ReturnType<typeof customer> {
    return customer(this.sandbox.ready());
  }

  get network(): ReturnType<typeof phones> {
    return phones(this.sandbox.ready());
  }

  send(kind: string, json: object): ReturnType<ReturnType<typeof customer>["call"]> {
    return this.api.call("POST", `/messages/${kind}`, { to: BIA, ...json });
  }

  at(id: string): Promise<any> {
    return eventually(`${id} at the phone`, 60_000, async () => (await this.network.inbox(BIA)).find((record) => record.message_id === id));
  }

  /** Sends a message and returns it as received. */
  async arrived(kind: string, json: object): Promise<any> {
    return this.at((await ok(this.send(kind, json))).message_id);
  }
}

export const picture = (width: number, height: number, format: "png" | "jpeg" | "webp" = "png"): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 4, background: { r: 200, g: 30, b: 30, alpha: 1 } } })
    .toFormat(format)
    .toBuffer();
