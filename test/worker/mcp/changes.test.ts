// Tools that change something, and the server's limits on them (docs/use/mcp.md, "Policy of a key").
import { afterEach, describe, expect, it, vi } from "vitest";
import type { AssistantPolicy } from "@gateway/protocol/assistant.ts";
import { HOUR_MS, MINUTE_MS } from "@gateway/protocol/units.ts";
import { allEnded, OTHER } from "../fakes/connection.ts";
import { ago, taken, theirs } from "../fakes/messages.ts";
import { evict } from "../support/eviction.ts";
import { assistant, stateless } from "./client.ts";

const CHAT = `${OTHER}@c.us`;
const MESSAGE = "3EB0A1B2C3D4E5F60718";
const STRANGER = "5511900000009";

afterEach(async () => {
  vi.useRealTimers();
  await allEnded();
});

const policy = (change: Partial<AssistantPolicy>): AssistantPolicy => ({
  confirm: "never",
  recipients: "replies",
  call_operation: false,
  ...change,
});

const id = () => crypto.randomUUID();
const hello = () => ({ chat_id: CHAT, text: "Olá!", request_id: id() });

/** One call of each tool that reaches the other side. */
const reaching = (chat_id = CHAT): Readonly<Record<string, object>> => ({
  send_text: { chat_id, text: "Olá!", request_id: id() },
  send_media: { chat_id, kind: "image", url: "https://example.com/a.png", caption: "a", request_id: id() },
  send_poll: { chat_id, question: "Qual dia?", options: ["Terça", "Quinta"], request_id: id() },
  react: { chat_id, message_id: MESSAGE, reaction: "👍" },
  edit_message: { chat_id, message_id: MESSAGE, text: "Oi!", request_id: id() },
  delete_message: { chat_id, message_id: MESSAGE, request_id: id() },
});

type Sent = { name?: string; args?: object; state?: unknown; action?: string; forms?: boolean };
type Form = { resultType: string; requestState: string; inputRequests: { confirm: { params: { message: string } } } };
type Answer = Form & { isError?: true; content: { text: string }[]; structuredContent: { facts: { message_id: string } } };

/** An assistant to whom OTHER has just written. */
async function answering(limits: Parameters<typeof assistant>[0] = {}) {
  const made = await assistant(limits);
  await made.session.commit([theirs(MESSAGE)]);
  const call = async ({ name = "send_text", args = hello(), state, action, forms = true }: Sent): Promise<Answer> => {
    const responses = action === undefined ? {} : { inputResponses: { confirm: { action } } };
    const retry = state === undefined ? {} : { requestState: state, ...responses };
    return (await made.request("tools/call", { name, arguments: args, ...stateless(forms), ...retry })).result as unknown as Answer;
  };
  /** Commands that changed something on the network and were not answered. */
  const reached = () => made.session.commands.filter((name) => !/^(contacts|groups|presence|limits)/.test(name));
  return { ...made, call, reached };
}

const textOf = ({ content }: Answer) => content[0]?.text ?? "";

describe("a key's scopes", () => {
  it("decide which tools there are, with all four hints and in 16 KB", async () => {
    const { tools } = await answering();
    const { tools: listed } = await tools();
    const hints = Object.fromEntries(listed.map(({ name, annotations }) => [name, Object.values(annotations)]));
    expect(Object.keys(hints)).toHaveLength(17);
    for (const name of ["send_text", "send_media", "send_poll", "edit_message", "delete_message"])
      expect(hints[name], name).toEqual([false, true, true, true]);
    for (const name of ["react", "mark_read"]) expect(hints[name], name).toEqual([false, false, true, true]);
    expect(JSON.stringify(listed).length).toBeLessThan(16_000);
    const { tools: ofReader } = await (await answering({ scopes: ["read"] })).tools();
    expect(ofReader.every(({ annotations }) => annotations["readOnlyHint"])).toBe(true);
  });

  it("let no tool change anything without `send`", async () => {
    const { call, reached } = await answering({ scopes: ["read"], assistant: policy({ recipients: "any" }) });
    for (const [name, args] of Object.entries({ ...reaching(), mark_read: { chat_id: CHAT } })) {
      expect(textOf(await call({ name, args })), name).toMatch(/^403 escopo_insuficiente/);
    }
    expect(reached()).toEqual([]);
  });
});

describe("a confirmation", () => {
  it("shows the number, the name and the whole text; only the accepted form sends, and only once", async () => {
    const { call, session, reached } = await answering();
    const args = { ...hello(), text: "Olá!\nSegunda linha \u202Eoculta" };
    const asked = await call({ args });
    expect(asked.resultType).toBe("input_required");
    const { message } = asked.inputRequests.confirm.params;
    expect(message).toContain(`Bia, ${OTHER}`);
    expect(message).toContain("text: Olá!\nSegunda linha \\u{202e}oculta");
    expect(reached()).toEqual([]);
    const sending = call({ args, state: asked.requestState, action: "accept" });
    const { message_id, content } = await taken(session);
    expect(content).toMatchObject({ kind: "text", text: args.text });
    const sent = await sending;
    expect([sent.isError, sent.structuredContent.facts.message_id, sent.resultType]).toEqual([undefined, message_id, "complete"]);
    const again = await call({ args, state: asked.requestState, action: "accept" });
    expect(again.structuredContent).toEqual(sent.structuredContent);
    expect(reached()).toEqual([]);
  });

  it("is needed for every tool that cannot be taken back; 100 tries without it reach nobody", async () => {
    const { call, reached, connection } = await answering();
    const other = await answering();
    let tries = 0;
    const refused = async (sent: Sent, expected: RegExp, send = call) => {
      tries += 1;
      expect(textOf(await send(sent)), JSON.stringify(sent)).toMatch(expected);
    };
    const { react: _react, ...asking } = reaching();
    for (const [name, args] of Object.entries(asking)) {
      const { requestState: state, resultType } = await call({ name, args });
      expect(resultType, name).toBe("input_required");
      for (const action of ["decline", "cancel", "ACCEPT", ""]) await refused({ name, args, state, action }, /declined/);
      await refused({ name, args, state }, /declined/);
      const [until = "", mac = ""] = state.split(".");
      const later = `${Number(until) + 1}.${mac}`;
      const altered = `${until}.${mac.startsWith("A") ? "B" : "A"}${mac.slice(1)}`;
      const invented: unknown[] = [later, altered, `${until}.`, until, "", "0.", `${until}.${mac}x`, 1, {}];
      for (const wrong of invented)
        await refused({ name, args, state: wrong, action: "accept" }, /expired, or belongs to a different call/);
      for (const change of [{ request_id: id() }, { chat_id: `${STRANGER}@c.us` }]) {
        await refused({ name, args: { ...args, ...change }, state, action: "accept" }, /different call/);
      }
      await refused(
        {
          name: name === "send_text" ? "edit_message" : "send_text",
          args: { ...args, ...hello(), message_id: MESSAGE },
          state,
          action: "accept",
        },
        /parameter|different call/,
      );
      await refused({ name, args, state, action: "accept" }, /different call/, other.call);
      await refused({ name, args, forms: false }, /must confirm/);
    }
    vi.useFakeTimers({ toFake: ["Date"] });
    const args = hello();
    const { requestState: state } = await call({ args });
    vi.setSystemTime(Date.now() + 5 * MINUTE_MS + 1);
    for (let n = 0; n < 5; n += 1) await refused({ args, state, action: "accept" }, /expired/);
    expect(tries).toBeGreaterThanOrEqual(100);
    expect([...reached(), ...other.reached()]).toEqual([]);
    await evict(connection.stub);
    expect(reached()).toEqual([]);
  });

  it("is asked under the `new_chats` policy only where the other side has never written", async () => {
    const { call, session } = await answering({ assistant: policy({ confirm: "new_chats", recipients: "any" }) });
    expect((await call({ args: { ...hello(), chat_id: STRANGER } })).resultType).toBe("input_required");
    const sending = call({});
    await taken(session);
    expect((await sending).isError).toBeUndefined();
  });
});

describe("the recipients", () => {
  it("are by default those who wrote in the last 24 hours", async () => {
    const { call, session, reached } = await answering({ assistant: policy({}) });
    await session.commit([
      theirs("3EB0OLD00001", { chat_id: `${STRANGER}@c.us`, sender: { phone: STRANGER, lid: null }, timestamp: ago(25 * 3600) }),
    ]);
    for (const stranger of [STRANGER, "5511900000010", "120363041234567890@g.us", "120363041234567890@newsletter"]) {
      for (const [name, args] of Object.entries(reaching(stranger))) {
        expect(textOf(await call({ name, args })), name).toMatch(/may not write to this chat/);
      }
    }
    expect(reached()).toEqual([]);
    const sending = call({});
    await taken(session);
    expect((await sending).isError).toBeUndefined();
  });

  it("may be a list", async () => {
    const { call, session } = await answering({ assistant: policy({ recipients: [STRANGER] }) });
    expect(textOf(await call({}))).toMatch(/may not write to this chat/);
    const sending = call({ args: { ...hello(), chat_id: STRANGER } });
    await taken(session);
    expect((await sending).isError).toBeUndefined();
  });
});

it("each tool is its route's call, with the request_id as Idempotency-Key", async () => {
  const { call, session } = await answering({ assistant: policy({}) });
  const { send_poll, react, edit_message } = reaching();
  const polls = call({ name: "send_poll", args: send_poll ?? {} });
  expect((await taken(session)).content).toMatchObject({ kind: "poll", poll: { question: "Qual dia?", selectable_count: 1 } });
  expect((await polls).isError).toBeUndefined();
  const reacts = call({ name: "react", args: react ?? {} });
  expect((await taken(session)).content).toMatchObject({ kind: "reaction", reaction: "👍", target: { message_id: MESSAGE } });
  expect((await reacts).isError).toBeUndefined();
  expect(textOf(await call({ name: "edit_message", args: edit_message ?? {} }))).toMatch(/^403 /);
  expect(textOf(await call({ name: "send_poll", args: { ...send_poll, options: ["x"], request_id: id() } }))).toMatch(/Fields: options\.$/);
});

describe("any other operation", () => {
  const archive = () => ({ operation: "archiveChat", parameters: { chatId: CHAT }, request_id: id() });
  const name = "call_operation";

  it("cannot be called unless the key's policy allows it", async () => {
    const { call, tools, reached } = await answering({ assistant: policy({ recipients: "any" }) });
    expect((await tools()).tools.map((tool) => tool.name)).not.toContain(name);
    for (const args of [archive(), { operation: "listChats" }]) expect(textOf(await call({ name, args }))).toMatch(/does not allow/);
    expect(reached()).toEqual([]);
  });

  it("is called by its name; a change needs every recipient, a request_id and the consent", async () => {
    const may = { call_operation: true } as const;
    const narrow = await answering({ assistant: policy(may) });
    expect((await narrow.tools()).tools.find((tool) => tool.name === name)?.annotations).toEqual({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    });
    const read = await narrow.call({ name, args: { operation: "getChat", parameters: { chatId: CHAT } } });
    expect(read.structuredContent.facts).toMatchObject({ data: { chat_id: CHAT } });
    // Models often write the digits of a phone number as a JSON number.
    const byNumber = await narrow.call({ name, args: { operation: "getChat", parameters: { chatId: Number(CHAT.split("@")[0]) } } });
    expect(byNumber.structuredContent?.facts).toMatchObject({ data: { chat_id: CHAT } });
    // Models often add an empty body.
    const withBody = await narrow.call({ name, args: { operation: "getChat", parameters: { chatId: CHAT }, body: {} } });
    expect(withBody.structuredContent.facts).toMatchObject({ data: { chat_id: CHAT } });
    expect(textOf(await narrow.call({ name, args: archive() }))).toMatch(/may not write/);
    const asking = await answering({ assistant: policy({ ...may, confirm: "new_chats", recipients: "any" }) });
    expect((await asking.call({ name, args: archive() })).resultType).toBe("input_required");
    const wide = await answering({ assistant: policy({ ...may, recipients: "any" }) });
    for (const [args, expected] of [
      [{ operation: "streamListenerEvents" }, /No operation/],
      [{ ...archive(), request_id: undefined }, /request_id is missing/],
      [{ ...archive(), parameters: { chatId: ".." } }, /chatId is missing/],
      [{ operation: "getChat", parameters: { chatId: "../instance/qr" } }, /^400 /],
    ] as const) {
      expect(textOf(await wide.call({ name, args }))).toMatch(expected);
    }
    const archiving = wide.call({ name, args: archive() });
    await wide.session.answer("chats.archive");
    expect((await archiving).isError).toBeUndefined();
    const reader = await answering({ scopes: ["read"], assistant: policy({ ...may, recipients: "any" }) });
    expect(textOf(await reader.call({ name, args: archive() }))).toMatch(/^403 escopo_insuficiente/);
    expect(textOf(await reader.call({ name, args: { operation: "getQrCode" } }))).toMatch(/^403 escopo_insuficiente/);
    expect([...narrow.reached(), ...asking.reached(), ...wide.reached(), ...reader.reached()]).toEqual([]);
  });
});

it("a key makes at most 30 changes per hour; a repeated request_id counts once, also after an eviction", async () => {
  const { connection, hash } = await answering({ assistant: policy({}) });
  const verdict = async (request_id: string) => {
    const caller = { kind: "connection_key", hash } as const;
    const admitted = await connection.ask("assistant.admit", { chat_id: CHAT, request_id, confirmed: false, link: null }, { caller });
    return admitted.ok ? [admitted.value.verdict, admitted.value.retry_after] : [admitted.code];
  };
  vi.useFakeTimers({ toFake: ["Date"] });
  const start = Date.now();
  for (let n = 0; n < 30; n += 1) {
    expect(await verdict(`r${n}`)).toEqual(["allowed", null]);
    expect(await verdict("r0")).toEqual(["allowed", null]);
  }
  await evict(connection.stub);
  expect(await verdict("r30")).toEqual(["pace", 3600]);
  vi.setSystemTime(start + HOUR_MS - 1_000);
  expect([await verdict("r31"), await verdict("r7")]).toEqual([
    ["pace", 1],
    ["allowed", null],
  ]);
  vi.setSystemTime(start + HOUR_MS);
  expect(await verdict("r31")).toEqual(["allowed", null]);
});
