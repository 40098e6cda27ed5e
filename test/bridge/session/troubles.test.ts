// Network problems are counted by kind and code, and text from the network cannot create unlimited labels.
import { EventEmitter } from "node:events";
import type { BinaryNode, WASocket } from "baileys";
import { expect, it } from "vitest";
import { FromBridgeControl, MAX_TROUBLES, TROUBLE_KINDS, TROUBLE_WINDOW_MS } from "@gateway/protocol/bridge-socket.ts";
import { Troubles } from "#root/session-bridge/metrics/troubles.ts";
import { countRefusals } from "#root/session-bridge/networks/baileys/socket/refusals.ts";

it("a trouble counts a session once in ten minutes, and every occurrence permanently", () => {
  const troubles = new Troubles();
  for (const [session, at] of [
    ["a", 0],
    ["a", 1_000],
    ["b", 2_000],
  ] as const)
    troubles.add("close", "405", session, at);
  expect(troubles.report(3_000)).toEqual([{ kind: "close", code: "405", total: 3, sessions: 2 }]);
  expect(troubles.report(1_000 + TROUBLE_WINDOW_MS)).toEqual([{ kind: "close", code: "405", total: 3, sessions: 1 }]);
  expect(troubles.report(2_000 + TROUBLE_WINDOW_MS)).toEqual([{ kind: "close", code: "405", total: 3, sessions: 0 }]);
});

it("troubles take any number of words from the network, and create few series", () => {
  const troubles = new Troubles();
  for (const kind of TROUBLE_KINDS) {
    for (let n = 0; n < 500; n++) troubles.add(kind, `word_${n}`, "a", 0);
    troubles.add(kind, '"} 1\nforged{x="5511999990000', "a", 0);
  }
  const report = troubles.report(1);
  expect(report.length).toBeLessThanOrEqual(MAX_TROUBLES);
  expect(report.filter(({ code }) => code === "other").map(({ total }) => total)).toEqual(TROUBLE_KINDS.map(() => 501 - 26));
  expect(troubles.samples()).toHaveLength(report.length);
  expect(FromBridgeControl.safeParse({ type: "load", sessions: 1, rss_mb: 0, cpu: 0, away: 0, troubles: report }).success).toBe(true);
});

it("refused stanzas, refused requests and unknown tags are counted and logged at debug level", () => {
  const ws = new EventEmitter();
  const counted: string[] = [];
  const logged: unknown[] = [];
  const logger = { debug: (...line: unknown[]) => void logged.push(line) };
  const stop = countRefusals({ ws } as unknown as WASocket, logger, (kind, code) => counted.push(`${kind} ${code}`));
  const mex = (content: object): BinaryNode => ({
    tag: "iq",
    attrs: { type: "result" },
    content: [{ tag: "result", attrs: {}, content: Buffer.from(JSON.stringify(content)) }],
  });
  const error: BinaryNode = { tag: "error", attrs: { code: "429" } };
  for (const node of [
    { tag: "ack", attrs: { class: "message" } },
    { tag: "ack", attrs: { class: "message", error: "479" } },
    { tag: "iq", attrs: { type: "result" } },
    { tag: "iq", attrs: { type: "error" }, content: [error] },
    { tag: "iq", attrs: { type: "error" } },
    mex({ data: { xwa2_newsletter: null }, errors: [{ message: "Bad Request", extensions: { error_code: 400 } }] }),
    mex({ data: { xwa2_newsletter: {} } }),
    { tag: "status", attrs: {} },
    { tag: "newsletter_live", attrs: {} },
    { tag: "5511999990000@s.whatsapp.net", attrs: {} },
  ])
    ws.emit("frame", node);
  ws.emit("frame", new Uint8Array(3));
  stop();
  ws.emit("frame", { tag: "unheard_of", attrs: {} });
  expect(counted).toEqual([
    "ack 479",
    "iq 429",
    "iq none",
    "iq mex_400",
    "unhandled newsletter_live",
    "unhandled 5511999990000@s.whatsapp.net",
  ]);
  expect(logged).toEqual(
    [
      { kind: "ack", code: "479" },
      { kind: "iq", code: "429" },
      { kind: "iq", code: "none" },
      { kind: "iq", code: "mex_400" },
      { kind: "unhandled", code: "newsletter_live" },
      { kind: "unhandled", code: "other" },
    ].map((line) => [line, "network.refused"]),
  );
});
