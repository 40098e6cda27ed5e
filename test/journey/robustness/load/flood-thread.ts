// Client threads of a flood (flood.ts).
import { connect } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

export type Flood = {
  origin: string;
  path: string;
  clients: number;
  /** Each request uses the next key, client address and body. */
  keys: readonly string[];
  addresses: readonly string[];
  /** True if clients send repeatedly until the flood ends, false if they send once. */
  repeated: boolean;
};

const { flood, bodies } = workerData as { flood: Flood; bodies: Uint8Array[] };
const buffers = bodies.map((body) => Buffer.from(body.buffer, body.byteOffset, body.byteLength));
const answers: string[] = [];
let sent = 0;
const state = { ended: false };
parentPort?.on("message", () => (state.ended = true));

const nextOf = <T>(list: readonly T[]): T => list[sent % list.length] as T;

/** Status and code of the response; "none" if the connection closed without one. */
function send(): Promise<string> {
  const { hostname, port, host } = new URL(flood.origin);
  const body = nextOf(buffers);
  const headers = {
    host,
    origin: flood.origin,
    "x-api-key": nextOf(flood.keys),
    "cf-connecting-ip": nextOf(flood.addresses),
    "content-type": "application/json",
    "content-length": String(body.length),
  };
  sent += 1;
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let answer = "";
    const end = () => {
      socket.destroy();
      const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1];
      resolve(status === undefined ? "none" : `${status} ${/"(?:codigo|code)":"(\w+)"/.exec(answer)?.[1]}`);
    };
    socket.on("data", (piece: Buffer) => {
      answer += piece.toString("latin1");
      // Every refusal has a Content-Length.
      const at = answer.indexOf("\r\n\r\n");
      if (at !== -1 && answer.length >= at + 4 + Number(/^content-length: (\d+)/im.exec(answer)?.[1] ?? 0)) end();
    });
    socket.on("error", end);
    socket.on("close", end);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST ${flood.path} HTTP/1.1\r\n${lines.join("")}\r\n`);
    socket.write(body);
  });
}

async function client(): Promise<void> {
  do answers.push(await send());
  while (flood.repeated && !state.ended);
}

await Promise.all(Array.from({ length: flood.clients }, client));
parentPort?.postMessage(answers, []);
parentPort?.close();
