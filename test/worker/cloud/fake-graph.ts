// A fake Graph for tests in workerd. It replaces `fetch` with one business account, whose state tests read and change.
import { vi } from "vitest";

export type FakeGraph = ReturnType<typeof fakeGraph>;

/** Each test uses its own number, because D1 is shared. */
export function fakeGraph() {
  const digits = String(Math.floor(Math.random() * 1e12)).padStart(12, "1");
  const graph = {
    number: `1${digits}`,
    waba: `2${digits}`,
    app: `3${digits}`,
    token: `EAA-token-${digits}`,
    secret: `secret-${digits}`,
    pin: "123456",
    phone: "+55 11 90000-0001",
    quality: "GREEN",
    canSend: "AVAILABLE",
    callback: "",
    verifyToken: "",
    subscribed: [] as string[],
    /** The business account's numbers. */
    numbers: (): string[] => [graph.number],
    fields: ["messages"],
    /** How the next calls fail: with an error code, or without a response. */
    trouble: null as number | "silence" | null,
    asked: [] as string[],
    /** The next calls wait for this promise. */
    held: null as Promise<void> | null,
    /** Meta's call to a webhook URL while it is being set. */
    onCallback: null as ((address: string, verifyToken: string) => Promise<boolean>) | null,
    credentials: () => ({ phone_number_id: graph.number, waba_id: graph.waba, access_token: graph.token, app_secret: graph.secret }),
    restore: () => fetched.mockRestore(),
  };
  const refused = (code: number) => Response.json({ error: { message: "no", code, type: "OAuthException" } }, { status: 400 });
  const done = () => Response.json({ success: true });

  const answer = async (method: string, url: URL, headers: Headers, body: any): Promise<Response> => {
    const [, , id, edge = ""] = url.pathname.split("/");
    graph.asked.push(`${method} /${id === graph.number ? "number" : id === graph.waba ? "waba" : "app"}${edge === "" ? "" : `/${edge}`}`);
    await graph.held;
    if (graph.trouble === "silence") throw new TypeError("no route");
    if (graph.trouble !== null) return refused(graph.trouble);
    const bearer = headers.get("authorization") ?? "";
    if (id === graph.app && edge === "subscriptions") {
      if (bearer !== `Bearer ${graph.app}|${graph.secret}`) return refused(190);
      return Response.json({
        data: [{ object: "whatsapp_business_account", active: true, fields: graph.fields.map((name) => ({ name })) }],
      });
    }
    if (bearer !== `Bearer ${graph.token}` || url.searchParams.get("appsecret_proof") !== (await proofOf(graph.token, graph.secret)))
      return refused(190);
    if (id === graph.number && method === "GET") {
      return Response.json({
        id,
        display_phone_number: graph.phone,
        verified_name: "Loja",
        quality_rating: graph.quality,
        health_status: { can_send_message: graph.canSend },
        webhook_configuration: graph.callback === "" ? {} : { phone_number: graph.callback },
      });
    }
    if (id === graph.number && edge === "register") return body.pin === graph.pin ? done() : refused(133005);
    if (id === graph.number && edge === "") {
      const { override_callback_uri: address, verify_token: token } = body.webhook_configuration;
      if (address !== "" && graph.onCallback !== null && !(await graph.onCallback(address, token))) return refused(2200);
      graph.callback = address;
      graph.verifyToken = token;
      return done();
    }
    if (id === graph.waba && edge === "phone_numbers") return Response.json({ data: graph.numbers().map((one) => ({ id: one })) });
    if (id !== graph.waba) return refused(33);
    if (edge !== "subscribed_apps") return refused(100);
    if (method === "GET") {
      return Response.json({ data: graph.subscribed.map((app) => ({ whatsapp_business_api_data: { id: app, name: "App", link: "" } })) });
    }
    graph.subscribed = method === "POST" ? [graph.app] : [];
    return done();
  };

  const real = globalThis.fetch;
  const fetched = vi.spyOn(globalThis, "fetch").mockImplementation((input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    if (url.hostname !== "graph.facebook.com") return real(input, init);
    const body = typeof init?.body === "string" ? JSON.parse(init.body) : {};
    return answer(request.method, url, request.headers, body);
  });
  return graph;
}

async function proofOf(token: string, secret: string): Promise<string> {
  const key = await crypto.subtle.importKey("raw", new TextEncoder().encode(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const signed = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(token));
  return Array.from(new Uint8Array(signed), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
