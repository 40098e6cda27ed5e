// Debugger access to a process started with --inspect: memory after garbage collection, CPU profiles, heap snapshots.
import { createWriteStream, writeFileSync } from "node:fs";
import { WebSocket } from "ws";

export type Memory = { rss: number; heapUsed: number; external: number; arrayBuffers: number };
type Answer = { id?: number; method?: string; params?: { chunk?: string }; result?: unknown; error?: { message: string } };

export class Inspector {
  readonly #socket: WebSocket;
  readonly #asked = new Map<number, PromiseWithResolvers<unknown>>();
  #lastId = 0;
  #chunk: (text: string) => void = () => undefined;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data) => this.#received(JSON.parse((data as Buffer).toString()) as Answer));
    // The process was killed, so pending requests will get no response.
    socket.on("close", () => {
      for (const { reject } of this.#asked.values()) reject(new Error("the process is gone"));
    });
    socket.on("error", () => undefined);
  }

  static async open(url: string): Promise<Inspector> {
    const socket = new WebSocket(url, { perMessageDeflate: false, maxPayload: 2 ** 31 });
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    return new Inspector(socket);
  }

  /** Memory after garbage collection. */
  async memory(): Promise<Memory> {
    await this.#ask("HeapProfiler.collectGarbage");
    const expression = "JSON.stringify(process.memoryUsage())";
    const answer = (await this.#ask("Runtime.evaluate", { expression, returnByValue: true })) as { result: { value: string } };
    return JSON.parse(answer.result.value) as Memory;
  }

  async startProfile(): Promise<void> {
    await this.#ask("Profiler.enable");
    await this.#ask("Profiler.start");
  }

  /** Saves a `.cpuprofile`. */
  async saveProfile(file: string): Promise<void> {
    const { profile } = (await this.#ask("Profiler.stop")) as { profile: unknown };
    writeFileSync(file, JSON.stringify(profile));
  }

  /** Saves a `.heapsnapshot`. */
  async saveHeap(file: string): Promise<void> {
    const stream = createWriteStream(file);
    this.#chunk = (text) => stream.write(text);
    await this.#ask("HeapProfiler.takeHeapSnapshot", { reportProgress: false });
    await new Promise<void>((resolve) => stream.end(resolve));
  }

  #ask(method: string, params: object = {}): Promise<unknown> {
    this.#lastId += 1;
    const answer = Promise.withResolvers<unknown>();
    this.#asked.set(this.#lastId, answer);
    this.#socket.send(JSON.stringify({ id: this.#lastId, method, params }));
    return answer.promise;
  }

  #received({ id, method, params, result, error }: Answer): void {
    if (method === "HeapProfiler.addHeapSnapshotChunk") this.#chunk(params?.chunk ?? "");
    if (id === undefined) return;
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    if (error === undefined) asked?.resolve(result);
    else asked?.reject(new Error(error.message));
  }
}
