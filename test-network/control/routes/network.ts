import { refused } from "../../phone/refusal.ts";
import { FaultBody, MediaHostBody } from "../bodies.ts";
import { list, NOTHING, ok, route, type Route } from "../route.ts";

export const networkRoutes: readonly Route[] = [
  route("GET", "/network", NOTHING, ({ addresses }) => ok(addresses)),
  route("GET", "/faults", NOTHING, ({ network }) => list(network.faults.list())),
  route("POST", "/faults", FaultBody, ({ network, body: { phone, kind, times, code, ms, xmlns } }) => {
    if (!network.directory.account(phone)) return refused(404, "unknown_phone", "there is no simulated phone with this number");
    network.faults.add({
      phone,
      kind,
      ...(times !== undefined && { times }),
      ...(code !== undefined && { code }),
      ...(ms !== undefined && { ms }),
      ...(xmlns !== undefined && { xmlns }),
    });
    return ok({ ok: true });
  }),
  // Clears all faults, or with `?phone=` those of one number, holds included: held stanzas are delivered. `{ phone, kind: "release" }`
  // ends one hold only.
  route("DELETE", "/faults", NOTHING, ({ network, query }) => {
    network.faults.clear(query.get("phone") ?? undefined);
    return ok({ ok: true });
  }),
  route("POST", "/media-host", MediaHostBody, ({ network, body: { trouble } }) => {
    network.blobs.trouble = trouble;
    return ok({ ok: true });
  }),
  route("GET", "/stats", NOTHING, ({ network, phones }) => {
    const counters = Object.fromEntries([...phones.loaded()].map((phone) => [phone.pn, phone.deps.counters]));
    return ok(Object.assign(Object.fromEntries(Object.entries(network.stats)), { phones: counters }));
  }),
];
