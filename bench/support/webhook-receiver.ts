// A webhook receiver with little overhead, so that it limits neither side of a comparison. Counts requests and records each text's arrival
// time.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const TEXT = /"text":"([^"]*)"/;

export type WebhookReceiver = {
  url: string;
  /** Body of the last delivery. */
  lastBody(): string;
  /** Resolves after this many more requests. */
  more(count: number): Promise<void>;
  /** Arrival time of the delivery with this text (`performance.now()`). */
  arrival(text: string): Promise<number>;
  /** `false` leaves requests unanswered until it is `true` again. */
  answers(on: boolean): void;
  stop(): Promise<void>;
};

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const waiting = new Map<string, (at: number) => void>();
  const silenced: ServerResponse[] = [];
  let [count, target, answering, lastBody] = [0, Number.POSITIVE_INFINITY, true, ""];
  let reached: () => void = () => undefined;
  const server = createServer((request, response) => {
    const at = performance.now();
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      lastBody = Buffer.concat(chunks).toString();
      if (answering) response.writeHead(200).end();
      else silenced.push(response);
      count += 1;
      if (count >= target) reached();
      if (waiting.size === 0) return;
      const text = TEXT.exec(lastBody)?.[1] ?? "";
      waiting.get(text)?.(at);
      waiting.delete(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    lastBody: () => lastBody,
    more: (wanted) => {
      target = count + wanted;
      return new Promise((resolve) => {
        reached = resolve;
      });
    },
    arrival: (text) => new Promise((resolve) => waiting.set(text, resolve)),
    answers: (on) => {
      answering = on;
      if (on) for (const response of silenced.splice(0)) response.destroy();
    },
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
